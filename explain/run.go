package explain

import (
	"cmp"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/plan"
)

// Run is an answered question, as its explanation reads it.
type Run struct {
	*plan.Question
	Graph *kg.Graph
	Model *neural.Predictor // nil where traversal alone answered
	Rows  *links.Rows       // that links were read from
}

// Options bounds an explanation; the zero value takes the defaults.
type Options struct {
	Paths   int // for each predicted link
	Reasons int // the most predicted links whose paths are looked for
	Draws   int // of the control of a counterfactual; negative for no counterfactual
}

// withDefaults fills in what was left open.
func (o Options) withDefaults() Options {
	return Options{Paths: cmp.Or(o.Paths, 5), Reasons: cmp.Or(o.Reasons, 8), Draws: cmp.Or(o.Draws, 3)}
}

func newMember(g *kg.Graph, entity kg.Entity, degree float32, known bool) Member {
	return Member{Entity: g.Entity(entity), ID: g.Entities.LabelledID(uint32(entity)), Probability: degree, Known: known}
}

func newLink(g *kg.Graph, t kg.Triple, probability float32, known bool) Link {
	return Link{
		Head: g.Entity(t.Head), HeadID: g.Entities.LabelledID(uint32(t.Head)), Relation: g.Relation(t.Relation),
		Tail: g.Entity(t.Tail), TailID: g.Entities.LabelledID(uint32(t.Tail)),
		Probability: probability, Known: known, triple: t,
	}
}
