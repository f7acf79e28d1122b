package kg

import (
	"context"
	"slices"
)

// A change where graphs have names is one of statements: a fact goes from the union with the last statement of it, and comes with the first.

func inNamed(f Fact) bool { return f.Graph != "" }

// changeNamed makes a change of statements: of the union as change does, then of who states what.
func (g *Graph) changeNamed(ctx context.Context, exactly bool, add, remove []Fact) (*Graph, ChangeReport, error) {
	before := newStatementFinder(g, exactly)
	gone, err := before.find(remove)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	goes := map[Statement]bool{}
	for _, s := range gone {
		if g.States(s) {
			goes[s] = true
		}
	}
	knew := 0
	known, err := before.find(add)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	stays := map[Statement]bool{}
	for _, s := range known {
		if !stays[s] && g.States(s) {
			knew++
		}
		stays[s] = true
	}
	names := newResolver(g.Vocabulary)
	names.entities.exactly, names.relations.exactly = exactly, exactly
	next, report, err := g.changeUnion(ctx, names, ofUnion(add), g.lastOf(goes))
	if err != nil {
		return nil, ChangeReport{}, err
	}
	added, err := newStatementFinder(next, exactly).take(add)
	if err != nil {
		next.Close()
		return nil, ChangeReport{}, err
	}
	next.named = g.named.changed(g, next, goes, added)
	report.Unknown, report.Removed = len(remove)-len(goes), 0
	for s := range goes {
		if !stays[s] {
			report.Removed++
		}
	}
	report.Added = len(distinctStatements(added.all)) - knew
	report.Known = len(add) - report.Added
	return next, report, nil
}

// ofUnion are facts whoever states them.
func ofUnion(facts []Fact) []Fact {
	all := slices.Clone(facts)
	for i := range all {
		all[i].Graph = ""
	}
	return all
}

func distinctStatements(all []Statement) []Statement {
	all = slices.Clone(all)
	slices.SortFunc(all, Statement.compare)
	return slices.Compact(all)
}

// lastOf are the facts that nobody states any more once some statements have gone.
func (g *Graph) lastOf(goes map[Statement]bool) (facts []Fact) {
	left := map[Triple]int{}
	for s := range goes {
		if _, seen := left[s.Triple]; !seen {
			left[s.Triple] = 0
			if g.States(Statement{Unnamed, s.Triple}) {
				left[s.Triple]++
			}
		}
		left[s.Triple]--
	}
	if g.named != nil {
		for _, t := range g.named.facts {
			if _, asked := left[t]; asked {
				left[t]++
			}
		}
	}
	for t, n := range left {
		if n == 0 {
			facts = append(facts, g.FactOf(Statement{Unnamed, t}))
		}
	}
	slices.SortFunc(facts, Fact.compare)
	return facts
}

// statementFinder turns facts by names into statements of a graph.
type statementFinder struct {
	graph   *Graph
	names   *resolver
	grown   *Interner // the names of graphs, where they may be new
	all     []Statement
	unnamed []Triple // of all, those of the graph without a name
}

func newStatementFinder(g *Graph, exactly bool) *statementFinder {
	s := &statementFinder{graph: g, names: newResolver(g.Vocabulary)}
	s.names.entities.exactly, s.names.relations.exactly = exactly, exactly
	return s
}

// find gives those of facts whose names are all known.
func (s *statementFinder) find(facts []Fact) (all []Statement, err error) {
	for _, f := range facts {
		graph, known := s.graph.named.Find(f.Graph)
		if !known {
			continue
		}
		t, known, err := s.triple(f)
		if err != nil {
			return nil, err
		}
		if known {
			all = append(all, Statement{graph, t})
		}
	}
	return all, nil
}

// take gives those of facts that the graph has, with new names of graphs from the last on.
func (s *statementFinder) take(facts []Fact) (*statementFinder, error) {
	s.grown = new(Interner)
	for _, f := range facts {
		graph := Unnamed
		if f.Graph != "" {
			if err := (&names{Dictionary: Dictionary{Names: &Names{}}, one: "graph"}).checkNew(f.Graph); err != nil {
				return nil, err
			}
			graph = s.grown.Intern([]byte(f.Graph)) + 1
		}
		t, known, err := s.triple(f)
		if err != nil {
			return nil, err
		}
		if known {
			s.all = append(s.all, Statement{graph, t})
		}
		if known && graph == Unnamed {
			s.unnamed = append(s.unnamed, t)
		}
	}
	return s, nil
}

// triple is a fact or label by numbers.
func (s *statementFinder) triple(f Fact) (t Triple, known bool, err error) {
	if !s.names.labels || !IsLabelFact(f.Relation, f.Tail) {
		return s.names.triple(f, false)
	}
	head := f.Head
	if id, known, err := s.names.entities.resolve(head); err != nil {
		return t, false, err
	} else if known {
		head = s.graph.Entities.Names.At(id)
	}
	labels := s.graph.LabelTriples()
	if labels == nil {
		return t, false, nil
	}
	subject, isSubject := labels.find(s.graph.Entities.Names, head)
	literal, isLiteral := labels.find(s.graph.Entities.Names, f.Tail)
	return Triple{subject, LabelRelation, literal}, isSubject && isLiteral, nil
}

// changed are the named graphs after a change from one graph to the next; one that has nothing any more is gone.
func (n *Named) changed(from, next *Graph, goes map[Statement]bool, added *statementFinder) *Named {
	names := new(Interner)
	var all []Statement
	moved := movedLabels(from, next)
	for graph := uint32(1); int(graph) <= n.Len(); graph++ {
		for _, t := range n.Facts(graph) {
			if !goes[Statement{graph, t}] {
				all = append(all, Statement{names.Intern([]byte(n.Name(graph))) + 1, moved(t)})
			}
		}
	}
	given := added.grown.Names()
	for _, s := range added.all {
		if s.Graph != Unnamed {
			all = append(all, Statement{names.Intern([]byte(given.At(s.Graph-1))) + 1, s.Triple})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, Statement.compare)
	all = slices.Compact(all)
	return newNamed(names.Names(), all, n.onlyAfter(from, next, goes, added, moved))
}

// onlyAfter is what no one but named graphs states after a change.
func (n *Named) onlyAfter(from, next *Graph, goes map[Statement]bool, added *statementFinder, moved func(Triple) Triple) (only []Triple) {
	unnamed := map[Triple]bool{}
	for _, t := range added.unnamed {
		unnamed[t] = true
	}
	take := func(t Triple) {
		if !unnamed[t] && next.holds(t) {
			only = append(only, t)
		}
	}
	if n != nil {
		for _, t := range n.only {
			take(moved(t))
		}
	}
	for s := range goes {
		if s.Graph == Unnamed {
			take(moved(s.Triple))
		}
	}
	back := movedLabels(next, from)
	for _, s := range added.all {
		if old := back(s.Triple); s.Graph != Unnamed && !from.holds(old) {
			take(s.Triple)
		}
	}
	return distinctTriples(only)
}

// movedLabels gives labels the numbers that they have in another graph; facts keep theirs.
func movedLabels(from, to *Graph) func(Triple) Triple {
	move := func(e Entity) Entity {
		if e < FirstExtra && int(e) < to.Entities.Names.Len() && int(e) < from.Entities.Names.Len() {
			return e
		}
		number, known := to.Stated.find(to.Entities.Names, from.Stated.Name(from.Entities.Names, e))
		if !known {
			return FirstExtra - 1 // which nothing has
		}
		return number
	}
	return func(t Triple) Triple {
		if t.Relation != LabelRelation || to.Stated == nil || from.Stated == nil || from.Stated == to.Stated {
			return t
		}
		return Triple{move(t.Head), LabelRelation, move(t.Tail)}
	}
}
