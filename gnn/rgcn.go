package gnn

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// rgcn has a matrix for each relation, a sum of a few bases with weights of its own (METHOD "CompGCN and RGCN").
type rgcn struct{ ofRelations }

func (rgcn) layer(c Config) (kernel.Layer, error) {
	return kernel.Layer{Width: c.Width, Bases: c.Bases, Aggregate: kernel.Bases}, nil
}

func (n rgcn) table(c Config, l kernel.Layer, relations int) *Table {
	d := c.Width
	t := n.newTable(c, relations, func(t *Table, layer string) {
		t.norm(layer+"layer_norm", d)
		t.linear(layer+"linear", d, l.Features())
		t.add(layer+"relation.weight", uniform, c.Bases, relations, c.Bases)
	})
	t.head("", (c.states()+1)*d)
	return t
}
