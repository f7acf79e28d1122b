// Package kg holds knowledge graphs: entities and relations with their names,
// triples, and the immutable graph in compressed sparse rows that every other
// package works on. It is the first stage of the flow: triples in, a Graph out. Package
// kg/read has them from the usual files, kg/snapshot keeps a graph in a memory-mapped one.
package kg
