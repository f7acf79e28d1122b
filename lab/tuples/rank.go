package tuples

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
)

// rank ranks the hard answers as tuples and, of several variables, the entities of each. A training question has
// no hard answers: there all are ranked.
func (a asked) rank(ctx context.Context) (err error) {
	hard := a.Hard
	easy := a.Easy
	if len(hard) == 0 {
		hard, easy = easy, nil
	}
	if a.joint, err = a.ranks(ctx, a.variables(), easy, hard); err != nil || a.normal.Answers < 2 {
		return err
	}
	for _, v := range a.variables() {
		ranks, err := a.ranks(ctx, []int{v}, column(easy, v), column(hard, v))
		if err != nil {
			return err
		}
		a.marginal = append(a.marginal, ranks...)
	}
	return nil
}

// column is the entities of one variable as tuples of one.
func column(tuples [][]kg.Entity, v int) [][]kg.Entity {
	all := make([][]kg.Entity, len(tuples))
	for i, t := range tuples {
		all[i] = t[v : v+1]
	}
	return all
}

// ranks are those of the targets, each once and without those that are easy, among all tuples that are neither.
func (a asked) ranks(ctx context.Context, variables []int, easy, targets [][]kg.Entity) ([]float64, error) {
	r := ranking{answers: map[string]bool{}, degrees: map[string]float64{}}
	for _, t := range easy {
		r.answers[key(t)] = false
	}
	for _, t := range targets {
		if _, known := r.answers[key(t)]; !known {
			r.answers[key(t)] = true
			r.wanted++
		}
	}
	options := a.options()
	if err := a.list(ctx, &r, variables, options, a.Listed); err != nil {
		return nil, err
	}
	rest := math.Pow(float64(a.Rows.Graph().NumEntities()), float64(len(variables))) - float64(len(r.answers))
	if r.wanted == len(r.degrees) || len(r.others) >= listedUnseen || a.Rows.Unseen() == 0 {
		return r.ranks(rest), nil
	}
	// What some row leaves out is ranked by the others, as trees are (links.Executor.Ranking).
	options.Unseen = float64(a.Rows.Unseen())
	again := ranking{answers: r.answers, wanted: r.wanted, degrees: map[string]float64{}}
	if err := a.list(ctx, &again, variables, options, listedUnseen); err != nil {
		return nil, err
	}
	return again.ranks(rest), nil
}

// listedUnseen is how many tuples are looked at, beside those that are answers, for the ranks of what some row leaves out: below, a rank hardly counts.
const listedUnseen = 500

// list fills a ranking by a search until all targets are found, or so many others.
func (a asked) list(ctx context.Context, r *ranking, variables []int, options join.Options, most int) error {
	search := join.NewMarginal(a.Rows, a.normal, variables, options)
	for r.wanted > len(r.degrees) || !r.isPast() {
		found, any, err := search.Next(ctx)
		if err != nil {
			return err
		}
		if !any {
			break
		}
		r.add(found)
		if len(r.others) >= most {
			break
		}
	}
	a.bounded = a.bounded || search.Cut().Stopped != ""
	return nil
}

// ranking is a list of tuples, the likeliest first.
type ranking struct {
	answers map[string]bool // whether it is a target
	wanted  int             // targets
	degrees map[string]float64
	least   float64   // of the targets found
	last    float64   // degree that was seen
	others  []float64 // the degrees of those that are no answers, descending
}

// add counts a tuple in. Its degree is taken as a float32, as a product rounds otherwise in another order of the links.
func (r *ranking) add(a join.Answer) {
	degree := float64(float32(a.Degree))
	r.last = degree
	k := key(a.Entities)
	isTarget, isAnswer := r.answers[k]
	switch {
	case isTarget:
		r.degrees[k], r.least = degree, degree
	case !isAnswer:
		r.others = append(r.others, degree)
	}
}

// isPast tells whether all that ties with the last target was seen.
func (r *ranking) isPast() bool { return len(r.degrees) == 0 || r.last < r.least }

// ranks are those of all targets; those that were not found tie with all of the rest that was not either.
func (r *ranking) ranks(rest float64) []float64 {
	var ranks []float64
	for _, degree := range r.degrees {
		greater, _ := slices.BinarySearchFunc(r.others, degree, descending)
		notLess, _ := slices.BinarySearchFunc(r.others, math.Nextafter(degree, 0), descending)
		ranks = append(ranks, 1+float64(greater)+float64(notLess-greater)/2)
	}
	greater := float64(len(r.others))
	for range r.wanted - len(r.degrees) {
		ranks = append(ranks, 1+greater+max(0, rest-greater)/2)
	}
	slices.Sort(ranks) // so that sums are the same each time
	return ranks
}

// descending orders the highest first.
func descending(a, b float64) int { return cmp.Compare(b, a) }

func key(t []kg.Entity) string {
	var text []byte
	for _, e := range t {
		text = binary.LittleEndian.AppendUint32(text, uint32(e))
	}
	return string(text)
}

// rankRelaxed ranks the hard answers by the tree that is left of a question, nil where none is.
func (a asked) rankRelaxed(ctx context.Context) ([]float64, error) {
	e, ok := relax(a.Query)
	if !ok {
		return nil, nil
	}
	question := eval.Question{Expr: e}
	for _, t := range a.Hard {
		question.Targets = append(question.Targets, t[0])
	}
	for _, t := range slices.Concat(a.Easy, a.Hard) {
		question.Answers = append(question.Answers, t[0])
	}
	slices.Sort(question.Answers)
	question.Answers = slices.Compact(question.Answers)
	outcomes, err := a.Relaxed.Answer(ctx, []eval.Question{question})
	if err != nil {
		return nil, err
	}
	var ranks []float64
	for _, rank := range outcomes[0].Ranks {
		ranks = append(ranks, 1+float64(rank.Greater)+float64(rank.Equal)/2)
	}
	return ranks, nil
}
