// Answers queries by Oxigraph. Each line of the input is {"graph": N-Triples,
// "queries": [...]}; each line of the output an array with, for every query, its
// results in SPARQL's JSON format, or {"error": message}. What makes triples, CONSTRUCT or an
// update of the graph, has them as results of three variables.
import { createInterface } from 'node:readline';
import oxigraph from 'oxigraph';

function loaded(graph) {
  const store = new oxigraph.Store();
  store.load(graph, { format: 'application/n-triples' });
  return store;
}

function term(t) {
  if (t.termType === 'NamedNode') return { type: 'uri', value: t.value };
  if (t.termType === 'BlankNode') return { type: 'bnode', value: t.value };
  if (t.language !== '') return { type: 'literal', value: t.value, 'xml:lang': t.language };
  return { type: 'literal', value: t.value, datatype: t.datatype.value };
}

function triples(quads) {
  const bindings = quads.map((q) => ({ subject: term(q.subject), predicate: term(q.predicate), object: term(q.object) }));
  return { head: { vars: ['subject', 'predicate', 'object'] }, results: { bindings } };
}

function answer(store, graph, query) {
  try {
    if (query.startsWith('CONSTRUCT')) return triples(store.query(query));
    if (!/^(INSERT|DELETE)/.test(query)) return JSON.parse(store.query(query, { results_format: 'json' }));
    const changed = loaded(graph);
    changed.update(query);
    return triples(changed.match());
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { graph, queries } = JSON.parse(line);
  const store = loaded(graph);
  process.stdout.write(JSON.stringify(queries.map((query) => answer(store, graph, query))) + '\n');
}
