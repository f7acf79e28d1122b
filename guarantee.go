package lacuna

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lacuna-kg/lacuna/answer"
	"github.com/lacuna-kg/lacuna/coverage"
	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// Coverage asks for the smallest list that contains the right answer with a frequency, such as 0.9: of ten questions for a missing fact, nine lists have
// it (docs/probability.md says when that holds). The list has as many predictions as that takes; Threshold and Limit do not bound it.
func Coverage(frequency float64) AskOption {
	return func(c *choices) error {
		c.Coverage = frequency
		return coverage.Check(frequency)
	}
}

// Guarantee says what a list guarantees, by the option Coverage.
type Guarantee struct {
	Coverage float64 `json:"coverage"`
	Links    int     `json:"links"`  // predicted links that an answer rests on, at most
	Hidden   int     `json:"hidden"` // facts that it was calibrated on, of the relation where there are enough
}

// guaranteed are the sets of the model, made at the first call: facts are hidden for that, and their scores kept beside the fit.
func (l *linked) guaranteed(ctx context.Context) (*coverage.Sets, error) {
	l.guarding.Lock()
	defer l.guarding.Unlock()
	if l.sets != nil {
		return l.sets, nil
	}
	c, p := l.calibration, l.predictor
	path := strings.TrimSuffix(c.path(p, links.GraphHash(p.Graph)), ".calibration")
	if path != "" {
		path += ".coverage"
	}
	scores, err := coverage.Read(path)
	if path == "" || err != nil {
		scores, err = coverage.Calibrate(pace.Still(ctx), coverage.Options{Graph: p.Graph, Model: p.Model, Held: c.options.Held, Seed: 1})
		if err != nil {
			return nil, err
		}
		if path != "" && scores.Hidden() > 0 && os.MkdirAll(filepath.Dir(path), 0o755) == nil {
			_ = scores.Write(path) // else it is made again
		}
	}
	l.sets = coverage.NewSets(p.Graph, p, scores)
	return l.sets, nil
}

// checkCoverage refuses to guarantee what is not predicted by links.
func (a Asking) checkCoverage() error {
	if a.Coverage > 0 && a.By != Links {
		return kg.Errorf(kg.Invalid, "", "coverage %v: expected a model and answers by links", a.Coverage)
	}
	return nil
}

// singleLink is the pair whose row answers a question of one link from an entity to the answer.
func singleLink(n *query.Normal) (p links.Pair, found bool) {
	body := n.Body
	if all, ok := body.(query.All); ok && len(all.Of) == 1 {
		body = all.Of[0]
	}
	link, ok := body.(query.Link)
	if !ok || n.Answers != 1 || link.From.IsVariable == link.To.IsVariable {
		return p, false
	}
	if link.To.IsVariable {
		return links.Pair{Head: link.From.Entity, Relation: link.Relation}, true
	}
	return links.Pair{Head: link.To.Entity, Relation: link.Relation.Inverse()}, true
}

// cover replaces the predictions for a question of one link by its guaranteed set. It is done before they are settled, as most are not shown otherwise.
func (a *answering) cover(c *candidates) (*Guarantee, error) {
	pair, found := singleLink(a.normal)
	if !found {
		return nil, nil
	}
	sets, err := a.links.guaranteed(a.ctx)
	if err != nil {
		return nil, err
	}
	got, err := sets.Of(a.ctx, []links.Pair{pair}, a.Asking.Coverage)
	if err != nil {
		return nil, err
	}
	if len(got[0]) > mostGuaranteed {
		return nil, kg.Errorf(kg.TooLarge, "", "coverage %v takes a list of %d entities, and at most %d are listed: ask for less", a.Asking.Coverage, len(got[0]), mostGuaranteed)
	}
	c.predicted, c.more = nil, false
	for _, m := range got[0] {
		c.predicted = append(c.predicted, answer.Answer{Entities: []kg.Entity{m.Entity}})
	}
	return &Guarantee{a.Asking.Coverage, 1, sets.Hidden(pair.Relation)}, nil
}

// mostGuaranteed bounds a list: each of it is read from both ends.
const mostGuaranteed = 2000

// coverByLineage keeps the predictions whose links are each in their sets, at a coverage that all of them have together.
func (a *answering) coverByLineage(c *candidates) (*Guarantee, error) {
	sets, err := a.links.guaranteed(a.ctx)
	if err != nil {
		return nil, err
	}
	g := &Guarantee{Coverage: a.Asking.Coverage}
	var facts []kg.Triple
	for _, p := range c.predicted {
		for _, l := range p.Lineage() {
			facts = append(facts, l.Fact)
		}
		g.Links = max(g.Links, len(p.Lineage()))
	}
	each := coverage.EachOf(a.Asking.Coverage, g.Links)
	for _, t := range facts {
		n := sets.Hidden(t.Relation)
		if err := coverage.Enough(n, each); err != nil {
			return nil, err
		}
		if g.Hidden == 0 || n < g.Hidden {
			g.Hidden = n
		}
	}
	values, err := sets.PValues(a.ctx, facts)
	if err != nil {
		return nil, err
	}
	var kept []answer.Answer
	for _, p := range c.predicted {
		isIn := true
		for range p.Lineage() {
			isIn, values = isIn && values[0] > 1-each, values[1:]
		}
		if isIn {
			kept = append(kept, p)
		}
	}
	c.predicted = kept
	return g, nil
}

// keep keeps an answer in its list that one of its ends calls impossible.
func (g *Guarantee) keep(all []answer.Answer) {
	const hardly = 1e-12
	for i := range all {
		all[i].Probability = max(all[i].Probability, hardly)
	}
}

// String says it in a sentence.
func (g *Guarantee) String() string {
	text := fmt.Sprintf("a missing fact is among the predictions in %.3g %% of cases, by %d facts that were hidden", 100*g.Coverage, g.Hidden)
	if g.Links > 1 {
		text += fmt.Sprintf("; answers rest on up to %d predicted links, taken to be independent", g.Links)
	}
	return text
}
