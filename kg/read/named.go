package read

import (
	"bytes"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// namedGraphs notes which graph a statement of RDF stands in, where some have names: a number beside each fact and label of the training
// part, and none at all before the first name.
type namedGraphs struct {
	names   kg.Interner
	ofFact  []uint32
	ofLabel []uint32
}

// stateIn takes a statement of a named graph; of a nameless one it is state.
func (l *loader) stateIn(graph []byte, part split, subject, predicate, object []byte) {
	subject, predicate, object = plainName(subject, term.OfRelation), plainName(predicate, term.OfRelation), plainName(object, term.OfEntity)
	if graph != nil {
		graph = plainName(graph, term.OfEntity)
	}
	if part == trainSplit && isReified(predicate, object) {
		r := reified{node: string(subject), triple: string(object)}
		if graph != nil {
			r.graph = l.graphs.names.Intern(graph) + 1
			l.report.InNamedGraphs++
		}
		l.reified = append(l.reified, r)
		return
	}
	facts, labels := l.factCount(part), len(l.labels.pairs)
	l.state(part, subject, predicate, object)
	if graph == nil {
		return
	}
	l.report.InNamedGraphs++
	if part != trainSplit {
		return
	}
	number := l.graphs.names.Intern(graph) + 1
	if l.factCount(part) > facts {
		l.graphs.ofFact = append(padded(l.graphs.ofFact, facts), number)
	}
	if len(l.labels.pairs) > labels {
		l.graphs.ofLabel = append(padded(l.graphs.ofLabel, labels), number)
	}
}

// plainName takes an IRI of our own namespace back to the name that it stands for: names that are no IRIs are written so.
func plainName(name []byte, of func(string) term.Term) []byte {
	if !bytes.HasPrefix(name, []byte(term.Namespace)) {
		return name
	}
	t := term.Term{Kind: term.IRI, Value: string(name)}
	plain := term.EntityName(t)
	if plain == "" || strings.ContainsRune(plain, 0) || of(plain) != t {
		return name
	}
	return []byte(plain)
}

// beside has a number for every fact, or none where no fact is in a named graph.
func (g *namedGraphs) beside(facts []kg.Triple) []uint32 {
	if len(g.ofFact) == 0 {
		return nil
	}
	return padded(g.ofFact, len(facts))
}

// padded has so many numbers; the missing ones are those of the graph without a name.
func padded(numbers []uint32, length int) []uint32 {
	return append(numbers, make([]uint32, max(0, length-len(numbers)))...)
}

// named are the graphs with all that was stated; nil where none has a name.
func (g *namedGraphs) named(facts []kg.Triple, labels *statedLabels, v *kg.Vocabulary) *kg.Named {
	if g.names.Len() == 0 {
		return nil
	}
	all := make([]kg.Statement, 0, len(facts)+len(labels.pairs))
	for i, graph := range padded(g.ofFact, len(facts)) {
		all = append(all, kg.Statement{Graph: graph, Triple: facts[i]})
	}
	names := labels.names.Names()
	for i, graph := range padded(g.ofLabel, len(labels.pairs)) {
		if v.Stated == nil {
			break
		}
		subject, isSubject := v.Stated.Find(v.Entities.Names, names.At(labels.pairs[i].subject))
		literal, isLiteral := v.Stated.Find(v.Entities.Names, names.At(labels.pairs[i].literal))
		if isSubject && isLiteral && slices.Contains(v.Stated.Of(subject), literal) {
			all = append(all, kg.Statement{Graph: graph, Triple: kg.Triple{Head: subject, Relation: kg.LabelRelation, Tail: literal}})
		}
	}
	if v.Stated == nil {
		return kg.NewNamed(g.names.Names(), all)
	}
	for _, row := range labels.rows { // of tables, which have no names as graphs
		literal, isLiteral := v.Stated.Find(v.Entities.Names, names.At(row.literal))
		if isLiteral && slices.Contains(v.Stated.Of(kg.Entity(row.subject)), literal) {
			all = append(all, kg.Statement{Triple: kg.Triple{Head: kg.Entity(row.subject), Relation: kg.LabelRelation, Tail: literal}})
		}
	}
	return kg.NewNamed(g.names.Names(), all)
}
