package main

import (
	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/foundation"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// mostCompared is the most facts of a graph that are compared with the model's training graphs: more take longer than a user waits.
const mostCompared = 20_000_000

// remarkSeen says which of the foundation model's training graphs the graph repeats: finding those facts is no proof of finding new ones.
func (a *app) remarkSeen(model string, g *kg.Graph) {
	if model != lacuna.Foundation || g.NumTriples() > mostCompared {
		return
	}
	for _, o := range foundation.Seen(func(yield func(string, string) bool) {
		for t := range g.Triples() { // by names and by labels: graphs that people share have either
			head, tail := uint32(t.Head), uint32(t.Tail)
			if !yield(g.Entities.Names.At(head), g.Entities.Names.At(tail)) || !yield(g.Entities.Readable(head), g.Entities.Readable(tail)) {
				return
			}
		}
	}) {
		a.Remark("the model was trained on %s, and about %s of this graph are in it: results on these do not show how it does on new facts", o.Graph, count.Of(o.Facts, "fact"))
	}
}
