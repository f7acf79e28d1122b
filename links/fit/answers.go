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
}

// Answers fits what degrees of answers mean, given the map of links, and reports on questions that were not fitted on.
func Answers(ctx context.Context, opts Options, m links.Map) (links.Answers, *AnswersReport, error) {
	halves, report, err := opts.ask(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	lines := halves[0].lines()
	report.measure(halves[1], lines)
	return lines, report, nil
}

// Check compares probabilities of answers with facts that are held out, on all of the questions.
func Check(ctx context.Context, opts Options, m links.Map, a links.Answers) (*AnswersReport, error) {
	halves, report, err := opts.ask(ctx, m)
	if err != nil {
		return nil, err
	}
	report.measure(together(halves), a)
	return report, nil
}

// together are the questions of both halves.
func together(halves [2]asked) asked {
	both := halves[0]
	for kind := range both {
		both[kind] = slices.Concat(both[kind], halves[1][kind])
	}
	return both
}

// ask holds facts out and asks questions.
func (o Options) ask(ctx context.Context, m links.Map) (halves [2]asked, report *AnswersReport, err error) {
	if o, err = o.withDefaults(); err != nil {
		return halves, nil, err
	}
	w, err := o.newWorld(ctx)
	if err != nil {
		return halves, nil, err
	}
	defer w.close()
	if halves, err = w.ask(ctx, m); err != nil {
		return halves, nil, err // what was asked by then stays
	}
	return halves, &AnswersReport{Held: len(w.held), Hidden: len(o.Held) == 0, Seed: o.Seed}, nil
}

// measure fills in what the questions came to.
func (r *AnswersReport) measure(a asked, lines links.Answers) {
	for kind := range links.Kind(links.NumKinds) {
		r.Kinds = append(r.Kinds, a.report(kind.String(), []links.Kind{kind}, lines))
	}
	for _, g := range groups {
		r.Groups = append(r.Groups, a.report(g.name, g.kinds, lines))
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
