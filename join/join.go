// Package join answers questions of any form over links, stated and predicted: cycles, several
// answer variables at once, yes or no (METHOD, "The join"). In the flow it stands beside the executor of
// package links, which answers questions whose variables form a tree by whole sets, and over the same rows.
//
// An assignment of entities to all variables is a derivation; it is as likely as the question's
// conditions are true of it, by the logic, and an answer as its best derivation. The search assigns one
// variable after the other. What is assigned bounds from above what can still come of it, and
// the search always goes on where the bound is highest (best first), so that the likeliest
// answer comes first, the next one next, and nobody waits for the rest. Of two beginnings that agree in all that the
// conditions ahead speak of, only the better goes on, as the same is ahead of both; on a question
// that is a tree this makes the search what projections of sets are.
//
// The file list follows a question: reading.go says from which end each link is read, compile.go makes
// the conditions nodes, order.go orders the variables by what they cost, table.go has the rows, bound.go
// the bounds, support.go and starts.go the entities to try for a variable, and search.go the search.
package join

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// Options say what is looked for and how far. The zero value looks for everything that is not
// impossible, within the usual bounds.
type Options struct {
	Logic fuzzy.Logic // its negation is 1-x
	Least float64     // the least degree of an answer; what is impossible never answers
	// Follow is how many rows of predicted links the search follows for each link of the question, and from which
	// degree on. Beyond, what the graph states is followed.
	Follow links.Follow
	// Start is the least probability of a predicted link from which a variable starts that nothing given leads to; 0 is DefaultStart.
	Start float64
	// Predicted leaves out, as far as is cheap, the answers that have a derivation of stated links alone: those given may still have one.
	Predicted bool
	// Unseen is what a link counts that its row leaves out, 0 for nothing. It is for those who rank all that one row or another speaks of,
	// however unlikely (links.Rows.Unseen); where nothing speaks for any value of a variable, the one given stands for all.
	Unseen float64
	// Bounds makes the degrees of derivations bounds from above of what they come to once every link is read from both its ends
	// (links.Highest). What a negation speaks of counts as far as it is stated.
	Bounds bool
	Steps  int           // the most steps of the search; 0 is DefaultSteps
	Time   time.Duration // the longest that it goes on; 0 is without a bound
	// ComputeUntil is when rows are computed no longer, so that a slow or busy machine answers in time: what is kept, read or stated goes on. The zero
	// time is without such a bound.
	ComputeUntil time.Time
}

// The values of options that are left zero. DefaultSteps bounds the search: some seconds and some hundred megabytes.
const (
	DefaultSteps = 4_000_000
	DefaultStart = 0.1
)

// Answer is values for the answer variables, with their best derivation.
type Answer struct {
	Entities []kg.Entity // in the order of the answer variables; none for a question of yes or no
	Degree   float64
	values   assignment
}

// Value is that of a variable, by its number, in the best derivation. Those that a negation or an alternative binds have none.
func (a Answer) Value(variable int) (kg.Entity, bool) {
	if len(a.values) == 0 || a.values[variable] == unassigned {
		return 0, false
	}
	return a.values[variable], true
}

// Cut is what a search left out. The zero value left out nothing.
type Cut struct {
	LeftOut int // rows of predicted links that were not followed
	// Stopped is which bound ended the search early, "steps" or "time", and "" for none.
	Stopped string
	// Likeliest bounds the degree of every derivation that lacks.
	Likeliest float64
}

// Stats says what a search took.
type Stats struct {
	Steps int // beginnings of derivations looked at
	Rows  int // followed
}

// Search finds the answers to one question, the likeliest first. One goroutine uses it at a time.
type Search struct {
	*search
	table *table
}

// New begins a search on rows; what these predict counts. Nothing is computed before Next.
func New(rows *links.Rows, q *query.Normal, o Options) *Search {
	return NewMarginal(rows, q, answers(q), o)
}

// NewMarginal begins a search for the values of some of the answer variables, whatever those of the others are.
func NewMarginal(rows *links.Rows, q *query.Normal, answers []int, o Options) *Search {
	t := newTable(rows, o)
	form := compile(q)
	t.expect(form.root)
	s := newSearch(t, form, form.root, answers, nil)
	s.predicted = o.Predicted && !t.stated
	return &Search{s, t}
}

func answers(q *query.Normal) []int {
	all := make([]int, q.Answers)
	for i := range all {
		all[i] = i
	}
	return all
}

// Next gives the likeliest answer that it has not given yet; ok tells whether there is one.
func (s *Search) Next(ctx context.Context) (answer Answer, ok bool, err error) {
	s.table.ctx = ctx
	if err := kg.Stopped(ctx); err != nil {
		return Answer{}, false, err
	}
	found, err := s.search.next()
	if err == errStopped {
		s.table.cut.Likeliest = max(s.table.cut.Likeliest, s.highest())
		return Answer{}, false, nil
	}
	if err != nil || found == nil {
		return Answer{}, false, err
	}
	return s.answer(found), true, nil
}

func (s *Search) answer(found *state) Answer {
	a := Answer{Entities: make([]kg.Entity, len(s.answers)), Degree: found.done, values: found.values}
	for i, v := range s.answers {
		a.Entities[i] = found.values[v]
	}
	return a
}

// All gives the likeliest answers, at most so many; negative is all.
func (s *Search) All(ctx context.Context, most int) ([]Answer, error) {
	var all []Answer
	for most < 0 || len(all) < most {
		a, ok, err := s.Next(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		all = append(all, a)
	}
	return all, nil
}

// Predicts tells whether the search follows other links than stated ones.
func (s *Search) Predicts() bool { return !s.table.stated }

// Cut is what was left out so far.
func (s *Search) Cut() Cut { return s.table.cut }

// Stats is what the search took so far.
func (s *Search) Stats() Stats { return Stats{s.table.steps, len(s.table.rowOf)} }
