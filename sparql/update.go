package sparql

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/eval"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Changes are the facts that an operation of SPARQL Update would remove from a graph and
// then state, by identifiers (see kg.Graph.ChangeExactly). Nothing is changed. Their number
// is limited by that of solutions; they count as memory of the query, too.
func Changes(ctx context.Context, o syntax.Operation, data Dataset, limits Limits) (add, remove []kg.Fact, err error) {
	if does, err := data.manages(o); err != nil || !does {
		return nil, nil, err
	}
	g := data.Graph
	limits.meter = limit.New(ctx, cmp.Or(limits.Work, eval.DefaultWork), limits.Memory, limits.Pool)
	defer limits.meter.Close()
	c := &changes{graph: g, labels: g.LabelTriples(), most: limits.Solutions, meter: limits.meter, seen: map[kg.Fact]uint8{}}
	if o.Where == nil {
		err = c.fill(o, nil)
		return c.add, c.remove, err
	}
	q := &syntax.Query{Form: syntax.SelectForm, Star: true, Where: o.Where, Base: o.Base, Limit: -1}
	limits.Solutions = 0 // it is facts that were limited
	found, err := RunQuery(ctx, q, data.updated(o), Options{Limits: limits})
	if err != nil {
		return nil, nil, err
	}
	solution := make(map[string]term.Term, len(found.Vars))
	for row, err := range found.Rows {
		if err != nil {
			return nil, nil, err
		}
		for i, name := range found.Vars {
			solution[name] = row[i]
		}
		if err := c.fill(o, solution); err != nil {
			return nil, nil, err
		}
	}
	return c.add, c.remove, nil
}

// manages tells whether an operation is to be done: one on whole graphs needs them to be there, or not to be yet.
func (d Dataset) manages(o syntax.Operation) (does bool, err error) {
	named := func(iri string) bool {
		_, known := d.Graph.Named().Find(graphName(iri))
		return known
	}
	switch {
	case o.Load != "" && !o.Silent:
		return false, syntax.Errorf(o.Pos, "LOAD <%s>: nothing was fetched (see Loaded)", o.Load)
	case o.Needed != "" && !named(o.Needed) && !o.Silent:
		return false, syntax.Errorf(o.Pos, "there is no graph <%s>", o.Needed)
	case o.New != "" && named(o.New):
		return false, syntax.Errorf(o.Pos, "there is a graph <%s> already", o.New)
	}
	return o.Needed == "" || named(o.Needed), nil
}

// graphName is the name of a graph by its IRI.
func graphName(iri string) string { return term.EntityName(term.Term{Kind: term.IRI, Value: iri}) }

// updated is what the pattern of an operation is asked of. Whole graphs are told apart to the letter.
func (d Dataset) updated(o syntax.Operation) Dataset {
	d.Predictor, d.within = nil, o.With
	d.Strict = d.Strict || o.Managed != ""
	if len(o.Using) > 0 {
		d.From, d.within = o.Using, ""
	}
	return d
}

// bytesOfFact are those of a fact among the changes, beside its names.
const bytesOfFact = 160

// changes collects facts, each once.
type changes struct {
	graph        *kg.Graph
	labels       *kg.LabelTriples
	add, remove  []kg.Fact
	most         int // of them; 0 for any number
	seen         map[kg.Fact]uint8
	made         int // blank nodes so far
	meter        *limit.Meter
	heads, tails lastName
}

const (
	seenRemoved uint8 = 1 << iota
	seenAdded
)

// fill puts a solution into the templates. What is no triple then is passed over; in data,
// which has no solution, it is an error.
func (c *changes) fill(o syntax.Operation, solution map[string]term.Term) error {
	blanks := map[string]term.Term{}
	for _, list := range []struct {
		template []syntax.Triple
		to       *[]kg.Fact
		mark     uint8
	}{{o.Delete, &c.remove, seenRemoved}, {o.Insert, &c.add, seenAdded}} {
		for _, t := range list.template {
			fact, ok, err := c.fact(t, solution, blanks)
			switch {
			case err != nil:
				return err
			case !ok && solution == nil:
				return syntax.Errorf(t.Subject.Pos, "no triple of RDF: a subject is an IRI or a blank node, a predicate an IRI")
			case !ok || c.seen[fact]&list.mark != 0:
				continue
			case !c.meter.Keep(bytesOfFact + len(fact.Head) + len(fact.Relation) + len(fact.Tail)):
				return c.meter.Err
			}
			c.seen[fact] |= list.mark
			*list.to = append(*list.to, fact)
		}
	}
	if c.most > 0 && len(c.add)+len(c.remove) > c.most {
		return kg.Errorf(kg.TooLarge, "sparql", "the update changes more than the limit of %d facts", c.most)
	}
	return nil
}

// fact is a triple under a solution, if it is one.
func (c *changes) fact(t syntax.Triple, solution, blanks map[string]term.Term) (f kg.Fact, ok bool, err error) {
	subject, object := c.value(t.Subject, solution, blanks), c.value(t.Object, solution, blanks)
	predicate := c.value(t.Path.(syntax.Step).Ref, solution, blanks)
	if subject.Kind != term.IRI && subject.Kind != term.Blank || predicate.Kind != term.IRI || object.Kind == term.Unbound {
		return f, false, nil
	}
	if !c.meter.Spend(1 + (len(subject.Value)+len(object.Value))/limit.BytesOfStep) {
		return f, false, c.meter.Err
	}
	if f.Head, err = c.heads.of(c, subject); err != nil {
		return f, false, err
	}
	if f.Tail, err = c.tails.of(c, object); err != nil {
		return f, false, err
	}
	f.Relation = predicate.PlainName()
	if t.Graph == (syntax.Ref{}) {
		return f, true, nil
	}
	graph := c.value(t.Graph, solution, blanks)
	f.Graph = term.EntityName(graph)
	return f, graph.Kind == term.IRI || graph.Kind == term.Blank, nil
}

// value is what a variable, a blank node or a term of a template stands for; blank nodes
// are new ones for each solution.
func (c *changes) value(r syntax.Ref, solution, blanks map[string]term.Term) term.Term {
	switch {
	case r.Of != nil:
		t, _ := term.TripleOf(c.value(r.Of[0], solution, blanks), c.value(r.Of[1], solution, blanks), c.value(r.Of[2], solution, blanks))
		return t
	case r.Var == "":
		return r.Term
	case !syntax.IsAnonymous(r.Var):
		return solution[r.Var]
	}
	if _, known := blanks[r.Var]; !known {
		blanks[r.Var] = c.blank()
	}
	return blanks[r.Var]
}

// blank is a node that the graph lacks, called after the size of the graph, which tells
// nodes of different updates apart without a search.
func (c *changes) blank() term.Term {
	for {
		c.made++
		t := term.Term{Kind: term.Blank, Value: fmt.Sprintf("u%d.%d", c.graph.NumEntities(), c.made)}
		if _, taken := c.find(t); !taken {
			return t
		}
	}
}

// lastName is the name of the last term, which often comes again and may be long.
type lastName struct {
	term term.Term
	name string
}

func (l *lastName) of(c *changes, t term.Term) (_ string, err error) {
	if l.term != t {
		l.term = t
		l.name, err = c.name(t)
	}
	if err != nil {
		l.term = term.Term{}
	}
	return l.name, err
}

// name is the one that the graph has for a term or would have. A name that a reader could
// take for another term is refused.
func (c *changes) name(t term.Term) (string, error) {
	if name, known := c.find(t); known {
		return name, nil
	}
	name := term.EntityName(t)
	if term.OfEntity(name) != t {
		return "", kg.Errorf(kg.Invalid, "sparql", "%v would be read as %v: no entity can have that name", t, term.OfEntity(name))
	}
	return name, nil
}

// find gives the name of a term that the graph has.
func (c *changes) find(t term.Term) (string, bool) {
	if e, known := term.FindEntity(c.graph.Vocabulary, t); known {
		return c.graph.Entities.Names.At(uint32(e)), true
	}
	if c.labels == nil {
		return "", false
	}
	id, known := term.FindName(c.labels.Extra(), t)
	if !known {
		return "", false
	}
	return c.labels.Extra().At(id), true
}
