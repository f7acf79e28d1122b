// Package query holds the logical form of a question and everything that is done
// with it before it is compiled: parsing the notations people write, printing,
// binding names to a graph's vocabulary, decomposition of first-order formulas
// into the paper's four set operations, rewrites, and the name of a shape.
// Text in, an Expr (operator form over entity and relation ids) out; package
// plan compiles that into a program. Where there are very many, they are kept as
// a Template, which is what queries of one form share, and ids.
//
// # Two forms, and a third
//
// A Query is logic over names, as people write it: answer variables, or none where yes or no is asked, and a Formula
// of atoms, =, ∧, ∨, ¬ and ∃ (∀ and → are read into these). It prints as it would be
// written, and what it prints parses to the same query again. An Expr is what is
// computed: a small sealed algebra of entities (Anchor, Universe), relation steps
// (Projection), Intersection, Union and Complement, over the ids of one graph.
//
// # From one to the other
//
// Parse reads the text. Resolve looks the names up, with suggestions for those that
// are missing. Decompose makes each edge between two variables a projection and each
// variable the intersection of all that constrains it, which works where the variables
// form a tree that hangs on the answer; everything else is refused with its place and
// the reason. Bind is the two together. Normalise gives every query the form that a join answers,
// tree or not: a Normal, whose variables are numbers and whose negations stand before single conditions.
// Rewrite then applies laws (Passes) to expressions that hold in
// all three fuzzy logics; idempotence, which fails in two of them, is not among these.
package query
