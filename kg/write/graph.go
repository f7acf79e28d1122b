package write

import (
	"bufio"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// writer passes over a graph.
type writer struct {
	ctx   context.Context
	graph *kg.Graph
	only  func(kg.Statement) bool

	onlyDenied func(kg.Fact) bool
	out        *bufio.Writer
	syntax     syntax
	report     Report
	given      int    // blank nodes for statements without a name
	prefix     string // of their names, which no other name begins with
	wrote      int
	written    statement
}

// all writes the graph without a name, then the others.
func (w *writer) all() error {
	w.prefix = w.freePrefix()
	w.syntax.graph("")
	if err := w.unnamed(); err != nil {
		return err
	}
	named := w.graph.Named()
	for number := uint32(1); int(number) <= named.Len(); number++ {
		w.report.Graphs++
		w.syntax.graph(term.OfEntity(named.Name(number)).String())
		for _, t := range w.inOrder(named.Facts(number)) {
			if err := w.state(kg.Statement{Graph: number, Triple: t}); err != nil {
				return err
			}
		}
	}
	w.syntax.end()
	return nil
}

// unnamed writes what the graph without a name states. An entity's labels come before its facts, and what it is called first.
func (w *writer) unnamed() error {
	g := w.graph
	var labels []kg.Triple
	if stated := g.LabelTriples(); stated != nil {
		for l := range stated.All() {
			labels = append(labels, kg.Triple{Head: l.Subject, Relation: kg.LabelRelation, Tail: l.Literal})
		}
	}
	labels = w.inOrder(labels)
	for h := range kg.Entity(g.NumEntities()) {
		began := len(labels)
		for ; len(labels) > 0 && labels[0].Head == h; labels = labels[1:] {
			if err := w.stateUnnamed(labels[0]); err != nil {
				return err
			}
		}
		relations, tails := g.Edges(h)
		if len(relations) == 0 && len(labels) == began {
			w.report.Lonely++
		}
		for i, r := range relations {
			if r.IsInverse() {
				continue
			}
			if err := w.stateUnnamed(kg.Triple{Head: h, Relation: r, Tail: tails[i]}); err != nil {
				return err
			}
		}
	}
	for _, l := range labels { // of relations, and of names that only labels have
		if err := w.stateUnnamed(l); err != nil {
			return err
		}
	}
	w.relationLabels()
	w.denials()
	return nil
}

// denials writes the facts that are known to be false, in the graph without a name.
func (w *writer) denials() {
	for _, t := range w.graph.Denied() {
		f := w.graph.DenialOf(t)
		if w.onlyDenied != nil && !w.onlyDenied(f) {
			continue
		}
		w.report.Denied++
		w.syntax.state(&statement{subject: subjectOf(f.Head), predicate: term.OfRelation(f.Relation).String(), object: term.OfEntity(f.Tail).String()})
	}
}

func (w *writer) stateUnnamed(t kg.Triple) error {
	if w.graph.Named().OnlyNamed(t) {
		return nil
	}
	return w.state(kg.Statement{Triple: t})
}

// relationLabels writes those that came beside the data.
func (w *writer) relationLabels() {
	d := w.graph.Relations
	if w.graph.Stated != nil || d.Labels == nil || w.only != nil {
		return
	}
	for id := range uint32(d.Names.Len()) {
		if label := d.Labels.At(id); label != "" {
			w.report.Labels++
			w.syntax.state(&statement{subject: term.OfRelation(d.Names.At(id)).String(), predicate: "<" + kg.RDFSLabel + ">", object: rdf.Quoted(label)})
		}
	}
}

// inOrder puts the label that an entity is called by before its others.
func (w *writer) inOrder(facts []kg.Triple) []kg.Triple {
	all := slices.Clone(facts)
	labels := w.graph.LabelTriples()
	for i := 1; i < len(all); i++ {
		t := all[i]
		if t.Relation != kg.LabelRelation || all[i-1].Relation != kg.LabelRelation || all[i-1].Head != t.Head {
			continue
		}
		if rdf.Readable(labels.Name(w.graph.Entities.Names, t.Tail)) == w.called(t.Head) {
			first := i
			for first > 0 && all[first-1].Head == t.Head && all[first-1].Relation == t.Relation {
				first--
			}
			copy(all[first+1:i+1], all[first:i])
			all[first] = t
		}
	}
	return all
}

// called is the label of a subject of labels, an entity or a relation.
func (w *writer) called(subject kg.Entity) string {
	v := w.graph.Vocabulary
	if subject < kg.FirstExtra {
		return v.Entities.Readable(uint32(subject))
	}
	if id, known := v.Relations.Names.Find(v.LabelTriples().Name(v.Entities.Names, subject)); known {
		return v.Relations.Readable(id)
	}
	return ""
}

// state writes a fact or label, and what is said of it in this graph.
func (w *writer) state(s kg.Statement) error {
	if w.only != nil && !w.only(s) {
		return nil
	}
	if w.wrote++; w.wrote%4096 == 0 && w.ctx.Err() != nil {
		return kg.Errorf(kg.Cancelled, "", "not written: %v", context.Cause(w.ctx))
	}
	f := w.names(s.Triple)
	w.written = statement{subjectOf(f.Head), term.OfRelation(f.Relation).String(), term.OfEntity(f.Tail).String(), w.written.about[:0]}
	if s.Relation == kg.LabelRelation {
		w.report.Labels++
	} else {
		w.report.Facts++
		w.annotate(s)
	}
	w.syntax.state(&w.written)
	return nil
}

func (w *writer) names(t kg.Triple) kg.Fact {
	if t.Relation != kg.LabelRelation {
		return w.graph.FactOf(kg.Statement{Triple: t})
	}
	labels, names := w.graph.LabelTriples(), w.graph.Entities.Names
	return kg.Fact{Head: labels.Name(names, t.Head), Relation: kg.RDFSLabel, Tail: labels.Name(names, t.Tail)}
}

// subjectOf is a subject: RDF has no literals there, so that a name like one is an IRI of ours.
func subjectOf(name string) string {
	if t := term.OfEntity(name); t.Kind == term.IRI || t.Kind == term.Blank {
		return t.String()
	}
	return term.OfRelation(name).String()
}

// annotate adds what is said of a fact to those of its graphs that it is said in.
func (w *writer) annotate(s kg.Statement) {
	for _, said := range w.graph.Annotations().Of(s.Triple) {
		if w.home(s.Triple, said) != s.Graph {
			continue
		}
		w.report.Statements++
		w.given++
		a := about{fresh: w.prefix + strconv.Itoa(w.given)}
		for _, one := range said {
			switch {
			case one.Relation == kg.InGraph:
			case one.Relation == kg.Reifies && a.node == "" && isNode(one.Value):
				a.node = term.OfEntity(one.Value).String()
			default:
				a.said = append(a.said, [2]string{term.OfRelation(one.Relation).String(), term.OfEntity(one.Value).String()})
			}
		}
		w.written.about = append(w.written.about, a)
	}
}

func isNode(name string) bool {
	kind := term.OfEntity(name).Kind
	return kind == term.IRI || kind == term.Blank
}

// home is the graph that a statement about a fact stands in: that which it names, else the first that states the fact.
func (w *writer) home(t kg.Triple, said []kg.Annotation) uint32 {
	named := w.graph.Named()
	for _, a := range said {
		if number, known := named.Find(a.Value); a.Relation == kg.InGraph && known && w.graph.States(kg.Statement{Graph: number, Triple: t}) {
			return number
		}
	}
	if !named.OnlyNamed(t) {
		return kg.Unnamed
	}
	for number := uint32(1); int(number) <= named.Len(); number++ {
		if w.graph.States(kg.Statement{Graph: number, Triple: t}) {
			return number
		}
	}
	return kg.Unnamed
}

// freePrefix is one that the names of blank nodes can begin with, as no other does.
func (w *writer) freePrefix() string {
	g, longest := w.graph, 0
	note := func(name string) {
		for rest, found := name, true; found; {
			if _, rest, found = strings.Cut(rest, "_:"); found { // a triple term has several
				longest = max(longest, len(rest)-len(strings.TrimLeft(rest, "s")))
			}
		}
	}
	names := func(n *kg.Names) {
		for id := range uint32(n.Len()) {
			note(n.At(id))
		}
	}
	if g.Annotations().Len() > 0 {
		names(g.Entities.Names)
		if g.Stated != nil {
			names(g.Stated.Extra())
		}
		for number := range uint32(g.Named().Len()) {
			note(g.Named().Name(number + 1))
		}
		for i := range g.Annotations().Len() {
			_, said := g.Annotations().At(i)
			for _, a := range said {
				note(a.Value)
			}
		}
	}
	return "_:" + strings.Repeat("s", longest+1)
}
