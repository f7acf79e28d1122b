// Package sparql answers SPARQL 1.1 on one graph, in two ways. Exactly:
// by an evaluator of its own, with the bags of solutions that the recommendation
// defines. And by prediction: a pattern whose variables form a tree becomes an
// expression of package query, and the fuzzy machine gives its answers with their
// probabilities. Text in, a stream of solutions out.
//
// A package a stage, in the order of the flow: syntax (text to a query and back),
// term (terms of RDF, what they mean and what a graph calls them), function (operators and
// functions of expressions), algebra (a query as operators, and
// the passes that rewrite them), eval (runs them: the exact way), predict (the other
// way) and results (what comes of either, and its formats). This one chooses between
// the two ways, and has the tests that hold them to each other; package protocol
// serves it over HTTP.
package sparql
