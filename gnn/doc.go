// Package gnn is the learned relation projection: a batch of fuzzy sets and relations
// in, a batch of fuzzy sets out (METHOD "Relation projection", "CompGCN and RGCN", "The foundation model").
// exec runs it wherever a program projects; train asks it for gradients.
//
// A Model is a Config, a slab of parameters, Adjustments and a device; a Graph is the model
// on a graph, which projects. Both compose the coarse operations of package kernel and hold
// no numbers of their own; everything computed stays on the device. The flow through the
// layers is one for all networks (forward.go, backward.go); in what they differ stands in a
// file each, behind one interface (network.go). Gradient never crosses a projection: the
// incoming set is detached.
package gnn
