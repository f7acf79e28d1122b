package read

import (
	"bytes"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// RDF 1.2 speaks of a triple by a node that rdf:reifies it. Where the triple is a fact, what is said of the node becomes
// annotations of the fact, and the node is no entity. Where it is not, or the node does more than that, all of it stays as
// facts, so that nothing is lost: the triple is an entity then, called as SPARQL writes it, <<( s p o )>>.

// reified is a statement that a node reifies a triple, by names.
type reified struct {
	node, triple string
	graph        uint32 // number of namedGraphs, 0 for none
}

// isReified tells the statements that are kept apart until all was read.
func isReified(predicate, object []byte) bool {
	return bytes.HasPrefix(object, []byte(tripleTermMark)) && string(predicate) == kg.Reifies
}

// reifiedBy is what is known of a node that reifies triples.
type reifiedBy struct {
	facts   []kg.Triple
	said    []kg.Annotation
	graph   uint32
	blocked bool // it does more than to speak of facts
	named   bool // it has a name that others use, or means something
}

// settler turns reified facts into annotations.
type settler struct {
	*loader
	nodes   map[string]*reifiedBy
	byID    map[kg.Entity]*reifiedBy
	stating map[kg.Triple][]uint32 // the graphs of the facts that are reified
}

// settleReified makes annotations of what is said of facts. It comes before entities have their final numbers.
func (l *loader) settleReified() {
	if len(l.reified) == 0 {
		return
	}
	s := &settler{loader: l, nodes: map[string]*reifiedBy{}, byID: map[kg.Entity]*reifiedBy{}, stating: map[kg.Triple][]uint32{}}
	s.collect()
	s.look()
	s.nameShared()
	kept := s.keepFacts()
	s.move()
	if kept > 0 {
		l.note("%s about triples that are no facts, or by nodes that say more, stay facts of their own", count.Of(kept, "statement"))
	}
}

// collect finds the facts that are reified, and by whom.
func (s *settler) collect() {
	for _, r := range s.reified {
		node := s.nodes[r.node]
		if node == nil {
			node = &reifiedBy{graph: r.graph, named: !strings.HasPrefix(r.node, "_:")}
			s.nodes[r.node] = node
			if id, known := s.entities.Find(r.node); known {
				s.byID[kg.Entity(id)] = node
			}
		}
		t, known := s.factOf(r.triple)
		if !known || node.graph != r.graph {
			node.blocked = true
			continue
		}
		if !slices.Contains(node.facts, t) {
			node.facts = append(node.facts, t)
		}
		s.stating[t] = nil
	}
	for _, r := range s.reified { // what is said of a statement about a statement needs that as a fact
		if parts, ok := term.OfEntity(r.triple).Parts(); ok {
			if node := s.nodes[term.EntityName(parts[0])]; node != nil {
				node.blocked = true
			}
		}
	}
}

// factOf is a triple by its name, where all of its names are there.
func (s *settler) factOf(triple string) (t kg.Triple, known bool) {
	parts, ok := term.OfEntity(triple).Parts()
	if !ok {
		return t, false
	}
	head, isHead := s.entities.Find(term.EntityName(parts[0]))
	relation, isRelation := s.relations.Find(term.EntityName(parts[1]))
	tail, isTail := s.entities.Find(term.EntityName(parts[2]))
	return kg.Triple{Head: kg.Entity(head), Relation: kg.Forward(relation), Tail: kg.Entity(tail)}, isHead && isRelation && isTail
}

// graphOf is the number of the graph of a fact.
func (s *settler) graphOf(i int) uint32 {
	if i < len(s.graphs.ofFact) {
		return s.graphs.ofFact[i]
	}
	return kg.Unnamed
}

// look passes over all facts: who states those that are reified, which are about nodes, and which have one as their tail.
func (s *settler) look() {
	reifies, has := s.relations.Find(kg.Reifies)
	for i, t := range s.facts[trainSplit] {
		if graphs, asked := s.stating[t]; asked {
			s.stating[t] = append(graphs, s.graphOf(i))
		}
		if node := s.byID[t.Tail]; node != nil {
			node.named = true
		}
		node := s.byID[t.Head]
		if node == nil {
			continue
		}
		if s.graphOf(i) != node.graph || isDenied(t) || has && t.Relation.Base() == reifies {
			node.blocked = true
		}
	}
	for _, node := range s.nodes {
		for _, t := range node.facts {
			node.blocked = node.blocked || !slices.Contains(s.stating[t], node.graph)
		}
		node.named = node.named || len(node.facts) > 1
	}
}

// nameShared notes the blank nodes that labels, graphs, held-out facts and triple terms speak of.
func (s *settler) nameShared() {
	use := func(name string) {
		if node := s.nodes[name]; node != nil {
			node.named = true
		}
	}
	names := func(in *kg.Interner, of func(string)) {
		for id := range uint32(in.Len()) {
			of(in.At(id))
		}
	}
	names(&s.labels.names, use)
	names(&s.graphs.names, use)
	names(&s.entities, func(name string) { usedBlanks(name, use) })
	for _, r := range s.reified {
		usedBlanks(r.triple, use)
	}
	for _, part := range []split{validSplit, testSplit} {
		for _, t := range s.facts[part] {
			for _, e := range []kg.Entity{t.Head, t.Tail} {
				if node := s.byID[e]; node != nil {
					node.blocked = true
				}
			}
		}
	}
}

// usedBlanks calls use with the blank nodes within a triple term.
func usedBlanks(name string, use func(string)) {
	if !strings.HasPrefix(name, tripleTermMark) {
		return
	}
	parts, _ := term.OfEntity(name).Parts()
	for _, part := range []term.Term{parts[0], parts[2]} {
		switch part.Kind {
		case term.Blank:
			use(part.String())
		case term.Triple:
			usedBlanks(part.String(), use)
		}
	}
}

// keepFacts states those that cannot be annotations.
func (s *settler) keepFacts() (kept int) {
	for _, r := range s.reified {
		if !s.nodes[r.node].blocked {
			continue
		}
		kept++
		at := len(s.facts[trainSplit])
		s.fact(trainSplit, []byte(r.node), []byte(kg.Reifies), []byte(r.triple))
		if r.graph != kg.Unnamed {
			s.graphs.ofFact = append(padded(s.graphs.ofFact, at), r.graph)
		}
	}
	return kept
}

// move takes the facts about nodes away from the others, and gives entities and relations new numbers that only those had.
func (s *settler) move() {
	facts, kept := s.facts[trainSplit], 0
	graphs := s.graphs.beside(facts)
	loose := newLoose(s.loader)
	for i, t := range facts {
		if node := s.byID[t.Head]; node != nil && !node.blocked {
			node.said = append(node.said, kg.Annotation{Relation: s.relations.At(t.Relation.Base()), Value: s.entities.At(uint32(t.Tail))})
			loose.lose(t)
			continue
		}
		facts[kept] = t
		if i < len(graphs) {
			graphs[kept] = graphs[i]
		}
		kept++
	}
	s.facts[trainSplit], s.graphs.ofFact = facts[:kept], graphs[:min(kept, len(graphs))]
	for _, name := range sortedNodes(s.nodes) {
		if node := s.nodes[name]; !node.blocked {
			s.annotateBy(name, node)
		}
	}
	loose.drop()
}

func sortedNodes(nodes map[string]*reifiedBy) []string {
	names := make([]string, 0, len(nodes))
	for name := range nodes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// annotateBy says of facts what a node says, whose name is left out where nobody else uses it. Where several graphs state
// the fact, the statement says in which it stands.
func (s *settler) annotateBy(name string, node *reifiedBy) {
	if node.named || len(node.said) == 0 {
		node.said = append(node.said, kg.Annotation{Relation: kg.Reifies, Value: name})
	}
	for _, t := range node.facts {
		said := node.said
		if node.graph != kg.Unnamed && len(distinctNumbers(s.stating[t])) > 1 {
			said = append(slices.Clone(said), kg.Annotation{Relation: kg.InGraph, Value: s.graphs.names.At(node.graph - 1)})
		}
		s.said.Add(t, said)
	}
}

func distinctNumbers(numbers []uint32) []uint32 {
	numbers = slices.Clone(numbers)
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// loose are the entities and relations of facts that were taken away, which others may have or not.
type loose struct {
	*loader
	entities  map[kg.Entity]bool
	relations map[uint32]bool
}

func newLoose(l *loader) *loose {
	return &loose{l, map[kg.Entity]bool{}, map[uint32]bool{}}
}

func (o *loose) lose(t kg.Triple) {
	o.entities[t.Head], o.entities[t.Tail], o.relations[t.Relation.Base()] = true, true, true
}

// drop gives all that is left new numbers, in the same order.
func (o *loose) drop() {
	if len(o.entities) == 0 {
		return
	}
	for _, facts := range o.facts {
		for _, t := range facts {
			delete(o.entities, t.Head)
			delete(o.entities, t.Tail)
			delete(o.relations, (t.Relation &^ deniedBit).Base())
		}
	}
	entity := o.loader.entities.Drop(func(id uint32) bool { return o.entities[kg.Entity(id)] })
	relation := o.loader.relations.Drop(func(id uint32) bool { return o.relations[id] })
	move := func(t kg.Triple) kg.Triple {
		return kg.Triple{Head: kg.Entity(entity[t.Head]), Relation: kg.Forward(relation[(t.Relation&^deniedBit).Base()]) | t.Relation&deniedBit, Tail: kg.Entity(entity[t.Tail])}
	}
	for _, facts := range o.facts {
		for i, t := range facts {
			facts[i] = move(t)
		}
	}
	for i, t := range o.statements.facts {
		o.statements.facts[i] = move(t)
	}
	o.said.Renumber(move)
	o.labels.renumber(entity, func(id uint32) bool { return o.entities[kg.Entity(id)] })
}
