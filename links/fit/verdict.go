package fit

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// RelationReport is what predictions of one relation are worth, by rows that were not fitted on: its likeliest prediction of each.
type RelationReport struct {
	Name   string  `json:"name"`
	Facts  int     `json:"facts"`  // stated
	Values float64 `json:"values"` // of a head that has one, on average
	Hidden int     `json:"hidden"` // facts asked for
	First  int     `json:"first"`  // of these, found first
	// Promised and Found are the first predictions of rows, read from both ends: what their probabilities come to, and how many are right, for as many
	// rows as have these hidden facts.
	Promised float64 `json:"promised"`
	Found    float64 `json:"found"`
	Verdict  Verdict `json:"verdict"`
	weight   float64 // of the hidden facts
	cells    cells
}

// cells are those of the relation that were asked for on the graph nearly as it is: these count where there are enough.
type cells struct {
	asked, found int
	promised     float64
}

// Verdict says in a word what predictions of a relation are good for.
type Verdict string

// The verdicts.
const (
	Good     Verdict = "good"
	Guesses  Verdict = "guesses"
	DoNotUse Verdict = "do not use"
	TooFew   Verdict = "too few facts to tell"
)

// Where verdicts part. Of fewer facts than fewHidden none is given.
const (
	fewHidden   = 5
	goodShare   = 0.3  // of hidden facts are found first
	uselessBy   = 0.05 // of them and fewer
	goodFactor  = 2    // promised and found are that close
	worstFactor = 4    // or are wrong
)

func (r RelationReport) verdict() Verdict {
	if r.Hidden < fewHidden {
		return TooFew
	}
	share := float64(r.First) / float64(r.Hidden)
	off := math.Abs(math.Log((r.Promised + 0.5) / (r.Found + 0.5)))
	switch {
	case share <= uselessBy || off > math.Log(worstFactor):
		return DoNotUse
	case share >= goodShare && off <= math.Log(goodFactor):
		return Good
	}
	return Guesses
}

// relations are reports in the making.
type relations struct {
	graph *kg.Graph
	of    map[kg.Relation]*RelationReport
}

func newRelations(g *kg.Graph) relations { return relations{g, map[kg.Relation]*RelationReport{}} }

// observe counts the rows of relations that are read forwards.
func (r relations) observe(o observations, m links.Map) {
	for _, first := range o.shownFirst(m, o.both) {
		if q := first.evidence.Relation; !q.IsInverse() {
			report := r.report(q)
			report.Promised += first.weight * first.logit
			if first.held {
				report.Found += first.weight
			}
		}
	}
	for _, first := range o.shownFirst(m, o.asked) {
		cells := &r.report(first.evidence.Relation).cells
		cells.asked, cells.promised = cells.asked+1, cells.promised+first.logit
		if first.held {
			cells.found++
		}
	}
	rows := map[int][]link{}
	for _, l := range o.links {
		if !l.evidence.Relation.IsInverse() {
			rows[l.row] = append(rows[l.row], l)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(rows)) { // in one order: sums of floats depend on it
		row := rows[at]
		r.report(row[0].evidence.Relation).row(row, m)
	}
}

// shownFirst is the link of each row that both ends together hold likeliest, with this probability as its logit.
func (o observations) shownFirst(m links.Map, both []twice) (list []link) {
	promised, at := o.promised(m), map[int]int{}
	for _, t := range both {
		low, high := t.readings(m, promised)
		l := t.ahead
		l.logit = float64(m.Both(l.evidence.Relation, t.has(), float32(low), float32(high)))
		if i, found := at[l.row]; !found {
			at[l.row], list = len(list), append(list, l)
		} else if l.logit > list[i].logit {
			list[i] = l
		}
	}
	return list
}

// row counts the facts of a row, and those that are likelier than all that is no fact.
func (r *RelationReport) row(row []link, m links.Map) {
	wrong := math.Inf(-1)
	score := func(l link) float64 { return m.Of(l.evidence.Stated).Score(l.logit, l.evidence) }
	for _, l := range row {
		if !l.held {
			wrong = max(wrong, score(l))
		}
	}
	for _, l := range row {
		if l.held {
			r.weight += l.weight
			if r.Hidden++; score(l) > wrong {
				r.First++
			}
		}
	}
}

func (r relations) report(q kg.Relation) *RelationReport {
	if r.of[q] == nil {
		r.of[q] = r.begin(q)
	}
	return r.of[q]
}

func (r relations) begin(q kg.Relation) *RelationReport {
	byRelation := r.graph.ByRelation()
	facts, heads := byRelation.Edges(q), len(byRelation.Heads(q))
	return &RelationReport{Name: r.graph.Relation(q), Facts: facts, Values: float64(facts) / math.Max(1, float64(heads))}
}

// reports are those of all relations, judged.
func (r relations) reports() (list []RelationReport) {
	for _, report := range r.of {
		if report.weight > 0 {
			scale := float64(report.Hidden) / report.weight
			report.Promised, report.Found = scale*report.Promised, scale*report.Found
		}
		if c := report.cells; c.asked >= fewHidden {
			report.Hidden, report.First, report.Promised, report.Found = c.asked, c.found, c.promised, float64(c.found)
		}
		report.Verdict = report.verdict()
		list = append(list, *report)
	}
	slices.SortFunc(list, func(a, b RelationReport) int {
		return cmp.Or(cmp.Compare(b.Facts, a.Facts), cmp.Compare(a.Name, b.Name))
	})
	return list
}
