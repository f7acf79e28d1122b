// Package sparql answers a subset of SPARQL 1.1 on a graph, in two ways. Exactly:
// by an evaluator of its own, with the bags of solutions that the recommendation
// defines. And by prediction: a pattern whose variables form a tree becomes an
// expression of package query, and the fuzzy machine gives its answers with their
// probabilities. Text in, a stream of solutions out, in the formats of the
// recommendation; package protocol below it serves them over HTTP.
//
// The files in the order of the flow: lex, parse and print (a Query); names (terms
// of RDF and what a graph calls them); algebra and eval (the exact way); predict
// (the other); solutions (ORDER BY, LIMIT and the like) and write (the formats).
package sparql
