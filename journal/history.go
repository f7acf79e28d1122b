package journal

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Conflicts are changes that a graph which changed beside the journal says, too: facts that were added here and that it states by
// itself, and facts that were removed here and that it states, which stay removed.
type Conflicts struct{ Stated, Removed []kg.Fact }

// ConflictsWith compares the outcome of changes with a graph.
func ConflictsWith(changes []Change, g *kg.Graph) (c Conflicts) {
	added, removed := outcome(changes)
	done := set(removed)
	for _, f := range added {
		if states(g, f) && !done[f] {
			c.Stated = append(c.Stated, f)
			done[f] = true
		}
	}
	for _, f := range removed {
		if states(g, f) {
			c.Removed = append(c.Removed, f)
		}
	}
	return c
}

// states tells whether a graph has a fact by its identifiers.
func states(g *kg.Graph, f kg.Fact) bool {
	if denied, is := kg.Denial(f.Relation); is {
		f.Relation = denied
		t, found := numbered(g, f)
		return found && g.Denies(t)
	}
	graph, hasGraph := g.Named().Find(f.Graph)
	t, found := numbered(g, f)
	return found && hasGraph && g.States(kg.Statement{Graph: graph, Triple: t})
}

// numbered is a fact by the numbers of its identifiers.
func numbered(g *kg.Graph, f kg.Fact) (t kg.Triple, found bool) {
	head, hasHead := g.Entities.Names.Find(f.Head)
	relation, hasRelation := g.Relations.Names.Find(f.Relation)
	tail, hasTail := g.Entities.Names.Find(f.Tail)
	return kg.Triple{Head: kg.Entity(head), Relation: kg.Forward(relation), Tail: kg.Entity(tail)}, hasHead && hasRelation && hasTail
}

// Concern tells whether changes may be of a graph: one of the ends of at least half of their facts is known to it.
func Concern(changes []Change, g *kg.Graph) bool {
	known, all := 0, 0
	for _, c := range changes {
		for _, f := range slices.Concat(c.Add, c.Remove) {
			all++
			_, hasHead := g.Entities.Names.Find(f.Head)
			if _, hasTail := g.Entities.Names.Find(f.Tail); hasHead || hasTail {
				known++
			}
		}
	}
	return 2*known >= all
}

// Undo is the change that takes back change number n, from 0, as far as it changed anything: what was stated
// before it is not removed, and what was not stated before is not added.
func (o *Opened) Undo(n int, base *kg.Graph) (Change, error) {
	if o.Compacted {
		return Change{}, kg.Errorf(kg.Invalid, o.Name, "changes were put into a snapshot, and what was stated before them is not known any more: export the facts and start a new log")
	}
	if n < 0 || n >= len(o.Changes) {
		return Change{}, kg.Errorf(kg.NotFound, o.Name, "no change %d: there are %d", n+1, len(o.Changes))
	}
	before := func(f kg.Fact) bool {
		state := states(base, f)
		for _, c := range o.Changes[:n] {
			if slices.Contains(c.Remove, f) || slices.Contains(c.Add, f.Contrary()) {
				state = false
			}
			if slices.Contains(c.Add, f) {
				state = true
			}
		}
		return state
	}
	var undone Change
	for _, f := range o.Changes[n].Add {
		if !before(f) {
			undone.Remove = append(undone.Remove, f)
		}
		if contrary := f.Contrary(); before(contrary) && !slices.Contains(undone.Add, contrary) {
			undone.Add = append(undone.Add, contrary)
		}
	}
	for _, f := range o.Changes[n].Remove {
		if before(f) && !slices.Contains(o.Changes[n].Add, f) && !slices.Contains(undone.Add, f) {
			undone.Add = append(undone.Add, f)
		}
	}
	return undone, nil
}
