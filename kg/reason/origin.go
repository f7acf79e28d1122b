package reason

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Implied tells which facts of a graph are only implied, and by which rule.
type Implied struct {
	graph  *kg.Graph
	rules  []uint32 // the graphs of what is implied
	others []uint32 // the other named graphs
}

// Of is what a graph implies; nil for nothing.
func Of(g *kg.Graph) *Implied {
	i := &Implied{graph: g}
	named := g.Named()
	for _, rule := range ruleNames {
		if graph, known := named.Find(Prefix + rule); known {
			i.rules = append(i.rules, graph)
		}
	}
	if len(i.rules) == 0 {
		return nil
	}
	for graph := range uint32(named.Len()) {
		if !strings.HasPrefix(named.Name(graph+1), Prefix) {
			i.others = append(i.others, graph+1)
		}
	}
	return i
}

// Rule is the one by which a fact is implied; "" of one that is stated, or neither. Nil implies nothing.
func (i *Implied) Rule(fact kg.Triple) string {
	if i == nil || !i.graph.Named().OnlyNamed(fact) {
		return ""
	}
	for _, rule := range i.rules {
		if i.states(rule, fact) {
			for _, graph := range i.others {
				if i.states(graph, fact) {
					return ""
				}
			}
			return strings.TrimPrefix(i.graph.Named().Name(rule), Prefix)
		}
	}
	return ""
}

func (i *Implied) states(graph uint32, fact kg.Triple) bool {
	return i.graph.States(kg.Statement{Graph: graph, Triple: fact})
}
