package eval

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// A filter ?x = ?y between parts of a pattern that nothing else joins is a join by value: 1 meets 1.0. Where one of the
// two has a value, the nodes that may equal it are looked up instead of tried one by one; the filter itself is
// tested as ever.

// twins finds nodes by the value of another variable.
type twins struct {
	of     int
	asked  int
	byKeys map[term.ValueKey][]kg.Entity // made when asked for some times: few values are as well looked for one by one
}

// find gives the nodes of a domain that may equal the other variable, in their order.
func (t *twins) find(m *matcher, domain []kg.Entity) []kg.Entity {
	const few = 4
	if t.asked++; t.asked <= few {
		return domain
	}
	if t.byKeys == nil {
		if !m.Spare(bytesOfValue * len(domain)) {
			return domain
		}
		m.Keep(bytesOfValue * len(domain))
		t.byKeys = m.byValue(domain)
	}
	key, ok := term.ValueKeyOf(m.term(m.r[t.of]))
	if !ok {
		return nil
	}
	return t.byKeys[key]
}

// byValue sorts nodes by the keys of their values.
func (m *matcher) byValue(domain []kg.Entity) map[term.ValueKey][]kg.Entity {
	byKeys := map[term.ValueKey][]kg.Entity{}
	for _, at := range domain {
		if !m.Spend(1) {
			break
		}
		of := m.term(entityNode(at))
		if key, ok := term.ValueKeyOf(of); ok && m.Keep(len(of.Value)) {
			byKeys[key] = append(byKeys[key], at)
		}
	}
	return byKeys
}

// equated is a variable with a value that a condition wants another one to equal.
func (p *planner) equated(v int) (other int, ok bool) {
	for _, c := range p.conditions {
		if !c.equal || len(c.vars) != 2 {
			continue
		}
		for i, w := range c.vars {
			if w == v && p.bound[c.vars[1-i]] {
				return c.vars[1-i], true
			}
		}
	}
	return 0, false
}
