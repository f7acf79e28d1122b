// Package query holds the logical form of a question and everything that is done
// with it before it is compiled: parsing the notations people write, printing,
// binding names to a graph's vocabulary, decomposition of first-order formulas
// into the paper's four set operations, rewrites, and the name of a shape.
// Text in, an Expr (operator form over entity and relation ids) out; package
// plan compiles that into a program. Where there are very many, they are kept as
// a Template, which is what queries of one form share, and ids.
package query
