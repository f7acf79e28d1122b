// Package sample draws query sets from a graph, as BetaE (Ren and Leskovec, 2020)
// does: a shape is grounded backwards from a random answer (ground.go), answered
// on the facts known and on all facts of its split, kept or refused (examine.go),
// and drawn again until there are enough (run.go). Training can also draw its
// queries on the fly (drawer.go). In the flow: a graph in, a dataset out.
package sample
