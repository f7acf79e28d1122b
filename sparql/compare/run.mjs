// Answers queries by Oxigraph. Each line of the input is {"graph": N-Triples,
// "queries": [...]}; each line of the output an array with, for every query, its
// results in SPARQL's JSON format, or {"error": message}.
import { createInterface } from 'node:readline';
import oxigraph from 'oxigraph';

function answer(store, query) {
  try {
    return JSON.parse(store.query(query, { results_format: 'json' }));
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { graph, queries } = JSON.parse(line);
  const store = new oxigraph.Store();
  store.load(graph, { format: 'application/n-triples' });
  process.stdout.write(JSON.stringify(queries.map((query) => answer(store, query))) + '\n');
}
