// Package term has the terms of RDF, the values of a query's variables: which names
// of a graph they stand for and back, when two are equal, and how they are ordered.
package term
