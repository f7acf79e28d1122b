// Package kg holds knowledge graphs: entities and relations with their names,
// triples, and the immutable graph in compressed sparse rows that every other
// package works on. It reads triples from the usual files (package files of this
// directory named read_*.go, one a format) and keeps a graph in a memory-mapped
// snapshot. It is the first stage of the flow: triples in, a Graph out.
package kg
