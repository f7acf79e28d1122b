package lacuna

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/answer"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// candidates are what the search for the answers to a question came to, by estimates that read each link from one end. A question whose
// variables form a tree is searched by sets, any other is joined; from here on both are the same.
type candidates struct {
	known     []answer.Answer // that traversal of the graph finds
	unsettled []answer.Answer // known ones that nobody looks at more closely, and that are not shown
	predicted []answer.Answer // the likeliest first
	more      bool            // there are others at or above the threshold
	cut       join.Cut
}

// wanted is how far a search looks: for so many known answers and predictions, below 0 for as many as there are, the latter of an
// estimate of at least least.
type wanted struct {
	known, predicted int
	threshold, least float64
}

// enough is how many of the likeliest predictions are looked at: some whatever their estimates, others only if they may reach the threshold.
func (w wanted) enough(found int, estimate func(int) float64) int {
	n, least := min(found, answer.Shown+spare), links.Lowest(w.threshold)
	for n < found && estimate(n) >= least {
		n++
	}
	return n
}

// Bounds of what is settled: mostSettled predictions where all are wanted, and spare more than are shown, as their order is by estimates yet.
const (
	mostSettled = 256
	spare       = 6
)

// wants is what a list needs: for each prediction that is shown some others to choose from.
func (a *answering) wants() wanted {
	asked := a.Asking
	w := wanted{known: asked.Limit, predicted: mostSettled, threshold: asked.Threshold, least: min(leastEstimate, links.Lowest(asked.Threshold))}
	switch {
	case asked.Limit < All:
		w.predicted = min(max(answer.Shown, asked.Limit), mostSettled) + spare
	case a.judge == nil: // what is not settled costs nothing
		w.predicted = a.Graph.NumEntities()
	}
	if asked.Predicted {
		w.known = 0
	}
	return w
}

// leastEstimate is the estimate from which on a prediction may be shown: of those below a step by links need not have found the best.
const leastEstimate = answer.LeastShown

// ofSets are the candidates of a set, and of the same by traversal.
func ofSets(set, known fuzzy.View, w wanted) (c candidates) {
	for e, x := range known.All() {
		if x > 0 {
			c.known = append(c.known, answer.Answer{Entities: []kg.Entity{e}, Probability: float64(set.At(e)), Known: true})
		}
	}
	c.keep(w.known)
	unknown := set.Map(func(e kg.Entity, x float32) float32 {
		if known.At(e) > 0 {
			return 0
		}
		return x
	})
	top := unknown.Top(w.predicted+1, float32(w.least))
	if len(top) == 0 {
		top = unknown.Top(answer.Shown, 0)
	}
	top = top[:w.enough(len(top), func(i int) float64 { return float64(top[i].Degree) })]
	if c.more = len(top) > w.predicted; c.more {
		c.cut.Likeliest, c.cut.LeftOut = float64(links.Highest(top[w.predicted].Degree)), 1
		top = top[:w.predicted]
	}
	for _, m := range top {
		c.predicted = append(c.predicted, answer.Answer{Entities: []kg.Entity{m.Entity}, Probability: float64(m.Degree)})
	}
	return c
}

// keep puts aside known answers beyond those that may be shown: so many, and some that may turn out to be doubted.
func (c *candidates) keep(most int) {
	slices.SortStableFunc(c.known, func(a, b answer.Answer) int { return cmp.Compare(b.Probability, a.Probability) })
	if most >= 0 && len(c.known) > most+answer.Shown {
		c.known, c.unsettled = c.known[:most+answer.Shown], c.known[most+answer.Shown:]
	}
}

// joining is a question being joined.
type joining struct {
	ctx    context.Context
	normal *query.Normal
	rows   *links.Rows
	how    join.Options
	known  *join.Checker
}

// Limits bound how long a question whose variables form no tree is searched for; what was found by then is the answer, which says so.
type Limits struct {
	Search  time.Duration // in all
	Compute time.Duration // of it, while rows are computed: then what is there has to do
}

// defaultLimits are those of a question that does not say otherwise. 192 rows of FB15k-237 take two free cores less than Compute.
var defaultLimits = Limits{Search: 20 * time.Second, Compute: 4 * time.Second}

// Within bounds how long a question is searched for.
func Within(l Limits) AskOption {
	return func(c *choices) error {
		if l.Search < 0 || l.Compute < 0 {
			return kg.Errorf(kg.Invalid, "", "limits %v, expected no time below 0", l)
		}
		c.Limits = l
		return nil
	}
}

func newJoining(ctx context.Context, q *query.Normal, rows *links.Rows, follow links.Follow, a Asking) *joining {
	j := &joining{ctx: ctx, normal: q, rows: rows, known: join.NewChecker(rows.Graph(), q)}
	j.how = join.Options{Logic: a.Logic, Follow: follow, Time: a.Limits.Search}
	if a.Limits.Compute > 0 {
		j.how.ComputeUntil = time.Now().Add(a.Limits.Compute)
	}
	return j
}

// search begins one for some of the answer variables, of some probability on.
func (j *joining) search(variables []int, least float64) *join.Search {
	how := j.how
	how.Least, how.Predicted = least, j.known.IsPositive()
	return join.NewMarginal(j.rows, j.normal, variables, how)
}

// stated begins a search over what the graph states alone.
func (j *joining) stated(variables []int) *join.Search {
	return join.NewMarginal(links.New(j.rows.Graph(), nil, links.Options{}), j.normal, variables, join.Options{Logic: j.how.Logic, Time: j.how.Time})
}

// looks bounds how many answers are looked at for the few that are wanted of them.
const looks = 5000

// candidates finds answers for some of the answer variables.
func (j *joining) candidates(variables []int, w wanted) (c candidates, err error) {
	if w.known != 0 {
		search := j.stated(variables)
		most := w.known
		if most >= 0 {
			most += answer.Shown
		}
		if c.known, c.more, err = j.take(search, most, variables, func(answer.Answer) (bool, error) { return true, nil }); err != nil {
			return c, err
		}
		c.cut = search.Cut()
	}
	if !j.rows.Predicts() {
		return c, nil
	}
	search := j.search(variables, w.least)
	predicted, more, err := j.take(search, w.predicted, variables, func(a answer.Answer) (bool, error) {
		known, err := j.known.Holds(j.ctx, variables, a.Entities)
		return !known, err
	})
	predicted = predicted[:w.enough(len(predicted), func(i int) float64 { return predicted[i].Probability })]
	c.predicted, c.more = predicted, c.more || more && len(predicted) > 0 && predicted[len(predicted)-1].Probability >= links.Lowest(w.threshold)
	cut := search.Cut()
	if cut.Stopped == "" {
		cut.Stopped = c.cut.Stopped
	}
	c.cut = cut
	return c, err
}

// take gives the first answers of a search that are wanted, and whether there are more; below 0 is all.
func (j *joining) take(search *join.Search, most int, variables []int, wanted func(answer.Answer) (bool, error)) (list []answer.Answer, more bool, err error) {
	for n := 0; ; n++ {
		found, ok, err := search.Next(j.ctx)
		if err != nil || !ok {
			return list, false, err
		}
		if most >= 0 && (len(list) >= most || n >= looks+most) {
			return list, true, nil
		}
		a := answer.Answer{Entities: found.Entities, Probability: found.Degree, Known: !search.Predicts()}
		ok, err = wanted(a)
		if err != nil {
			return nil, false, err
		}
		if ok {
			list = append(list, a.WithValues(len(j.normal.Variables), found.Value))
		}
	}
}

// settle makes estimates probabilities. What is known is certain where nothing is negated, and stays as it is unless its derivation is wanted.
func (c *candidates) settle(ctx context.Context, judge *answer.Judge, q *query.Normal, variables []int, known bool) error {
	if known {
		if err := judge.Settle(ctx, q, variables, c.known[:min(len(c.known), mostSettled)]); err != nil {
			return err
		}
	}
	return judge.Settle(ctx, q, variables, c.predicted)
}

// cutOf is what a search left out, nil for nothing.
func cutOf(cut join.Cut) *JoinCut {
	if cut == (join.Cut{}) {
		return nil
	}
	return &JoinCut{cut.LeftOut, cut.Stopped, float32(cut.Likeliest)}
}

// numbered are the first so many variables.
func numbered(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
