// Package gnn is the learned relation projection: a batch of fuzzy sets and relations
// in, a batch of fuzzy sets out (METHOD "Relation projection", "CompGCN and RGCN", "The foundation model").
// exec runs it wherever a program projects; train asks it for gradients.
//
// A Model is a Config, a slab of parameters and a device. It composes the coarse
// operations of package kernel and holds no numbers of its own; everything it computes
// stays on the device. Gradient never crosses a projection: the incoming set is detached.
package gnn
