package gnn

// RelationGraph is the relation graph alone.
var RelationGraph = relationGraph

// RelationEdges is the number of edges of the relation graph.
func (g *Graph) RelationEdges() int { return g.relations.Edges() }

// FanIn is that of a Linear.
func (t Tensor) FanIn() int { return t.fanIn }
