// Measures the queries of the benchmark on Oxigraph: node bench.mjs DATA.nt QUERIES.json [SECONDS [WITHOUT]]. It prints JSON:
// how long loading took, the memory of the process after it and at its peak, and for every query its
// fastest run of up to twenty within SECONDS (10 unless given), by the clock and in processor time, and the lines of its results. WITHOUT are names of queries to leave out, with commas
// between them: some would run for hours.
import { readFileSync, openSync, readSync, closeSync } from 'node:fs';
import oxigraph from 'oxigraph';

const [data, queryFile, seconds = '10', without = ''] = process.argv.slice(2);
const clock = () => Number(process.hrtime.bigint()) / 1e6;

// pieces reads a file in parts that end with a line: one string of a whole large file is more than V8 allows.
function* pieces(path, size = 1 << 26) {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(size);
  let kept = 0;
  for (;;) {
    const read = readSync(file, buffer, kept, size - kept, null);
    const end = read === 0 ? kept : buffer.lastIndexOf(10, kept + read - 1) + 1;
    if (end > 0) yield buffer.toString('utf8', 0, end);
    if (read === 0) break;
    buffer.copy(buffer, 0, end, kept + read);
    kept += read - end;
  }
  closeSync(file);
}

function run(store, text) {
  const graph = /^(CONSTRUCT|DESCRIBE)/m.test(text);
  const options = { results_format: graph ? 'application/n-triples' : 'text/tab-separated-values' };
  const start = clock();
  const used = process.cpuUsage();
  const written = store.query(text, options);
  const ms = clock() - start;
  const { user, system } = process.cpuUsage(used);
  const lines = written.split('\n').filter((line) => line !== '').length;
  return { ms, cpu: (user + system) / 1e3, rows: graph || /^ASK/m.test(text) ? lines : written.split('\n').length - 2 };
}

function measure(store, { name, text }) {
  const best = { name, rows: 0, ms: Infinity, cpu_ms: Infinity };
  const begin = clock();
  try {
    for (let i = 0; i < 20 && (i === 0 || clock() - begin < 1000 * Number(seconds)); i++) {
      const { ms, cpu, rows } = run(store, text);
      best.rows = rows;
      best.cpu_ms = Math.min(best.cpu_ms, cpu);
      best.ms = Math.min(best.ms, ms);
    }
  } catch (error) {
    return { ...best, ms: 0, cpu_ms: 0, error: String(error.message ?? error) };
  }
  return best;
}

const start = clock();
const store = new oxigraph.Store();
for (const piece of pieces(data)) store.load(piece, { format: 'application/n-triples', lenient: true, no_transaction: true });
const loaded = { engine: 'Oxigraph (WASM)', triples: store.size, load_ms: clock() - start, loaded_mb: process.memoryUsage().rss / 1e6 };
const queries = JSON.parse(readFileSync(queryFile, 'utf8')).filter((q) => !without.split(',').includes(q.name)).map((q) => {
  const m = measure(store, q);
  process.stderr.write(`${m.name} ${m.rows} ${m.ms.toFixed(2)} ${m.cpu_ms.toFixed(2)} ${m.error ?? ''}\n`);
  return m;
});
console.log(JSON.stringify({ ...loaded, peak_mb: process.resourceUsage().maxRSS / 1e3, queries }, null, 1));
