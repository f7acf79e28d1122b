package browse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Kind is a kind of entities: those that a relation such as type leads to it from, or the rows of a table.
type Kind struct {
	Name     string `json:"name"`
	Entities int    `json:"entities"`
	// Relation and ID say how a question asks for them, relation(x, id); both are empty where the graph has no such fact.
	Relation string  `json:"relation,omitempty"`
	ID       string  `json:"id,omitempty"`
	Examples []Named `json:"examples"` // the first entities of the kind
}

// Named is an entity by its name and its identifier.
type Named struct {
	Name string `json:"name"`
	ID   string `json:"id"`
}

// leastRows is how many entities have to be named like rows of one table to be taken for them: TCP/IP is none.
const leastRows = 3

// kindExamples is how many entities show what a kind is.
const kindExamples = 5

// Kinds lists the kinds of entities that the graph tells apart, the largest first, so many at most.
func Kinds(g *kg.Graph, most int) []Kind {
	c := kindCount{graph: g, at: map[string]int{}}
	types := typeRelations(g)
	for e := range kg.Entity(g.NumEntities()) {
		typed := false
		for _, r := range types {
			for _, kind := range g.Tails(e, r) {
				typed = true
				c.add(e, Kind{Name: g.Entity(kind), Relation: g.Relation(r), ID: g.Entities.Names.At(uint32(kind))})
			}
		}
		if table, isRow := tableOf(g.Entities.Names.At(uint32(e))); isRow && !typed {
			c.add(e, Kind{Name: table})
		}
	}
	c.kinds = slices.DeleteFunc(c.kinds, func(k Kind) bool { return k.ID == "" && k.Entities < leastRows })
	slices.SortStableFunc(c.kinds, func(a, b Kind) int { return cmp.Compare(b.Entities, a.Entities) })
	return c.kinds[:min(len(c.kinds), most)]
}

// tableOf is the table that a row of it is named after, as films is of films/12.
func tableOf(name string) (table string, isRow bool) {
	table, key, found := strings.Cut(name, "/")
	return table, found && table != "" && key != "" && key[0] != '/' && !strings.ContainsAny(table, `:"<`)
}

type kindCount struct {
	graph *kg.Graph
	kinds []Kind
	at    map[string]int // by relation and identifier, or by the table
}

func (c *kindCount) add(e kg.Entity, kind Kind) {
	key := kind.Relation + "\x00" + kind.ID
	if kind.ID == "" {
		key = kind.Name
	}
	i, known := c.at[key]
	if !known {
		i = len(c.kinds)
		kind.Examples = []Named{}
		c.at[key], c.kinds = i, append(c.kinds, kind)
	}
	k := &c.kinds[i]
	if k.Entities++; len(k.Examples) < kindExamples {
		k.Examples = append(k.Examples, Named{c.graph.Entity(e), c.graph.Entities.Names.At(uint32(e))})
	}
}
