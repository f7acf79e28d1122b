package reason

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// names numbers those of a graph, and behind them those that only the rules have.
type names struct {
	graph     *kg.Graph
	entities  more
	relations more
	same      map[uint32]uint32 // entity => relation of the same name
}

// more are names behind the last one of a list.
type more struct {
	known   *kg.Names
	added   []string
	numbers map[string]uint32
}

func newNames(g *kg.Graph) *names {
	return &names{g, more{g.Entities.Names, nil, map[string]uint32{}}, more{g.Relations.Names, nil, map[string]uint32{}}, map[uint32]uint32{}}
}

func (m *more) number(name string) uint32 {
	if id, known := m.known.Find(name); known {
		return id
	}
	id, known := m.numbers[name]
	if !known {
		id = uint32(m.known.Len() + len(m.added))
		m.numbers[name], m.added = id, append(m.added, name)
	}
	return id
}

func (m *more) name(id uint32) string {
	if int(id) < m.known.Len() {
		return m.known.At(id)
	}
	return m.added[int(id)-m.known.Len()]
}

func (n *names) entityOf(name string) uint32   { return n.entities.number(name) }
func (n *names) relationOf(name string) uint32 { return n.relations.number(name) }
func (n *names) entity(id uint32) string       { return n.entities.name(id) }
func (n *names) relation(id uint32) string     { return n.relations.name(id) }

// relationNamed is the relation that has the name of an entity.
func (n *names) relationNamed(entity uint32) uint32 {
	relation, known := n.same[entity]
	if !known {
		relation = n.relationOf(n.entity(entity))
		n.same[entity] = relation
	}
	return relation
}

// literal tells the values that nothing can be said of.
func (n *names) literal(id uint32) bool { return strings.HasPrefix(n.entity(id), `"`) }
