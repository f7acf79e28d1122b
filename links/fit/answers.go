package fit

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/links"
)

// DefaultQuestions is how many questions of each shape are asked by default.
const DefaultQuestions = 60

// AnswersReport says how probabilities of answers to whole questions hold.
type AnswersReport struct {
	Held   int    `json:"held"`   // facts held out
	Hidden bool   `json:"hidden"` // they were hidden from the graph
	Seed   uint64 `json:"seed"`
	// Groups are the kinds by what they have most in common.
	Groups []KindReport `json:"groups"`
	Kinds  []KindReport `json:"kinds"`
}

// KindReport is of the questions of one kind or of several.
type KindReport struct {
	Name      string      `json:"name"`
	Questions int         `json:"questions"`
	Before    Reliability `json:"before"` // by the best derivation alone
	After     Reliability `json:"after"`
}

// groups are the kinds that are reported together.
var groups = []struct {
	name  string
	kinds []links.Kind
}{
	{"1 step", []links.Kind{links.OneStep}},
	{"2 steps", []links.Kind{links.TwoSteps}},
	{"3 steps", []links.Kind{links.ThreeSteps}},
	{"intersection", []links.Kind{links.Intersection, links.IntersectionOfSteps, links.StepsFromIntersection}},
	{"negation", []links.Kind{links.Negation, links.NegationOfSteps, links.StepsFromNegation}},
	{"no tree", []links.Kind{links.NoTree, links.NoTreeWithNegation}},
	{"yes or no", []links.Kind{links.YesOrNo}},
}

// Answers fits what degrees of answers mean, given the map of links, and reports on questions that were not fitted on.
func Answers(ctx context.Context, opts Options, m links.Map) (lines links.Answers, report *AnswersReport, err error) {
	err = opts.inWorld(ctx, func(w *world) error {
		halves, err := w.ask(ctx, m)
		if err != nil {
			return err
		}
		lines, report = halves[0].lines(), w.report()
		report.measure(halves[1], lines)
		return nil
	})
	return lines, report, err
}

// Check compares probabilities of answers with facts that are held out, on all of the questions and on such as are no trees.
func Check(ctx context.Context, opts Options, m links.Map, a links.Answers) (report *AnswersReport, err error) {
	err = opts.inWorld(ctx, func(w *world) error {
		halves, err := w.ask(ctx, m)
		if err != nil {
			return err
		}
		joins, err := w.askJoins(ctx, m, w.options.Questions/4)
		report = w.report()
		report.measure(together(halves[0], halves[1], joins), a)
		return err
	})
	return report, err
}

// together are all of the questions.
func together(some ...asked) (all asked) {
	for kind := range all {
		for _, a := range some {
			all[kind] = append(all[kind], a[kind]...)
		}
	}
	return all
}

// inWorld holds facts out while something is done.
func (o Options) inWorld(ctx context.Context, do func(w *world) error) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	w, err := o.newWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	return do(w)
}

// report is an empty one.
func (w *world) report() *AnswersReport {
	return &AnswersReport{Held: len(w.held), Hidden: len(w.options.Held) == 0, Seed: w.options.Seed}
}

// measure fills in what the questions came to.
func (r *AnswersReport) measure(a asked, lines links.Answers) {
	for kind := range links.Kind(links.NumKinds) {
		r.Kinds = append(r.Kinds, a.report(kind.String(), []links.Kind{kind}, lines))
	}
	for _, g := range groups {
		if of := a.report(g.name, g.kinds, lines); of.Questions > 0 || g.kinds[0] < links.NoTree {
			r.Groups = append(r.Groups, of)
		}
	}
}

func (a asked) report(name string, kinds []links.Kind, lines links.Answers) KindReport {
	r, before, after := KindReport{Name: name}, newTally(), newTally()
	for _, kind := range kinds {
		seen := observations{len(a[kind]), slices.Concat(a[kind]...)}
		r.Questions += seen.rows
		before.add(seen, asTheyAre)
		if of, found := lines[kind]; found {
			after.add(seen, of.Map())
		} else {
			after.add(seen, asTheyAre)
		}
	}
	r.Before, r.After = before.reliability(), after.reliability()
	return r
}

// asTheyAre leaves degrees as they are.
var asTheyAre = links.Map{{Logit: 1}}
