package gaps

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// A fact may be missing where an entity has no value of a relation that those like it have, or has some where one more is usual. A link has two ends: of a
// column with few different values their rows, read backwards, are fewer than those of the heads.

// gapColumn is a relation with the places that facts may be missing at.
type gapColumn struct {
	relation  kg.Relation
	heads     []kg.Entity // that may lack a fact, ascending
	rows      []links.Pair
	backwards bool // the rows are those of the values
	done      int  // rows so far
	promise   float64
}

func (c *gapColumn) asks(head kg.Entity) bool {
	_, found := slices.BinarySearch(c.heads, head)
	return found
}

// mean is what the likeliest fact of a row promises, as far as rows were seen.
func (c *gapColumn) mean() float64 { return c.promise / float64(max(1, c.done)) }

// leastRoom is the logarithm of how usual one more value must be for an entity that has some.
const leastRoom = -4

// columns are those of the relations to look at, the largest first.
func (f *Finder) columns(m Missing, o Options) ([]*gapColumn, error) {
	if m.Most < 1 {
		return nil, kg.Errorf(kg.Invalid, "", "%d missing facts, expected 1 or more", m.Most)
	}
	for _, r := range m.Relations {
		if err := f.checkPredictable(r, o); err != nil {
			return nil, err
		}
	}
	relations := m.Relations
	if relations == nil {
		for base := range uint32(f.graph.Relations.Names.Len()) {
			if r := kg.Forward(base); !f.leadsToValues(r, o) {
				relations = append(relations, r)
			}
		}
	}
	domains := f.rows.Domains()
	if domains == nil {
		domains = links.NewDomains(f.graph)
	}
	var both []kg.Relation
	for _, r := range relations {
		both = append(both, r, r.Inverse())
	}
	members := domainsOf(f.graph, both)
	var columns []*gapColumn
	for i, r := range relations {
		if c := f.column(domains, r, members[2*i], members[2*i+1]); len(c.rows) > 0 {
			columns = append(columns, c)
		}
	}
	slices.SortStableFunc(columns, func(a, b *gapColumn) int { return cmp.Compare(len(b.rows), len(a.rows)) })
	return columns, nil
}

// column finds the places of a relation, from its heads or, where these are fewer, from its values.
func (f *Finder) column(domains *links.Domains, r kg.Relation, heads, tails []kg.Entity) *gapColumn {
	c := &gapColumn{relation: r, heads: f.withRoom(domains, r, heads)}
	tails = f.withRoom(domains, r.Inverse(), tails)
	back := r
	if c.backwards = len(tails) < len(c.heads) && !f.hasFile(); c.backwards {
		back = r.Inverse()
	} else {
		tails = c.heads
	}
	rooms := map[kg.Entity]float64{}
	for _, e := range tails {
		p := links.Pair{Head: e, Relation: back}
		rooms[e] = domains.Room(p, len(f.graph.Tails(e, back)))
		c.rows = append(c.rows, p)
	}
	slices.SortStableFunc(c.rows, func(a, b links.Pair) int { return cmp.Compare(rooms[b.Head], rooms[a.Head]) })
	if len(c.heads) == 0 {
		c.rows = nil
	}
	return c
}

// withRoom are the entities that may have one more value, ascending.
func (f *Finder) withRoom(domains *links.Domains, r kg.Relation, members []kg.Entity) []kg.Entity {
	return slices.DeleteFunc(members, func(e kg.Entity) bool {
		p := links.Pair{Head: e, Relation: r}
		stated := len(f.graph.Tails(e, r))
		return f.rows.Ranges().Closed(p) || stated > 0 && domains.Room(p, stated) < leastRoom
	})
}

// place is a row to look at.
type place struct {
	links.Pair
	column *gapColumn
}

// queue says which places come next: some of every column at first, then those of the columns whose rows promised most.
type queue struct{ columns []*gapColumn }

// pilot is how many rows of a column are looked at before its promise counts.
const pilot = 8

func (q queue) left() (n int) {
	for _, c := range q.columns {
		n += len(c.rows) - c.done
	}
	return n
}

// asks tells of an entity whether a row of it may be looked at.
func (q queue) asks() func(kg.Entity) bool {
	heads := map[kg.Entity]bool{}
	for _, c := range q.columns {
		for _, p := range c.rows {
			heads[p.Head] = true
		}
	}
	return func(e kg.Entity) bool { return heads[e] }
}

// next are so many places. They stay the next ones until they are taken.
func (q queue) next(n int) (places []place) {
	order := slices.Clone(q.columns)
	slices.SortStableFunc(order, func(a, b *gapColumn) int {
		if a.done < pilot || b.done < pilot {
			return cmp.Compare(min(a.done, pilot), min(b.done, pilot))
		}
		return cmp.Compare(b.mean(), a.mean())
	})
	for _, c := range order {
		most := len(c.rows)
		if c.done < pilot {
			most = min(most, pilot)
		}
		for at := c.done; at < most && len(places) < n; at++ {
			places = append(places, place{c.rows[at], c})
		}
	}
	for _, c := range order { // what the first rows of columns left
		for at := max(c.done, pilot); c.done < pilot && at < len(c.rows) && len(places) < n; at++ {
			places = append(places, place{c.rows[at], c})
		}
	}
	return places
}

// took counts what places came to.
func (q queue) took(places []place, facts []Fact) {
	for _, p := range places {
		p.column.done++
	}
	best := map[links.Pair]float32{}
	for _, fact := range facts {
		ahead := links.Pair{Head: fact.Head, Relation: fact.Relation}
		back := links.Pair{Head: fact.Tail, Relation: fact.Relation.Inverse()}
		best[ahead], best[back] = max(best[ahead], fact.Probability), max(best[back], fact.Probability)
	}
	for _, p := range places {
		p.column.promise += float64(best[p.Pair])
	}
}
