package gnn

// RelationEdges is the number of edges of the relation graph.
func (g *Graph) RelationEdges() int { return g.relations.Edges() }
