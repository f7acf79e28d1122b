package lacuna

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/links"
)

// Known answers can be many, and all of them are likelier than any prediction: of a list that is cut short they would fill all. So where
// every condition is one that has to hold, the known ones are looked for by themselves, over what the graph states, and
// the predictions without them.

// looks bounds how many answers are looked at for the few that are wanted of them.
const looks = 5000

// separates tells whether known answers and predictions are looked for apart.
func (j *joining) separates() bool { return j.rows.Predicts() && j.known.IsPositive() }

// collect gives the answers to list, the known ones first, and whether there are more.
func (j *joining) collect(search *join.Search) (list []*joined, more bool, err error) {
	if !j.separates() {
		return j.collectMixed(search)
	}
	var known []*joined
	moreKnown := false
	if !j.Asking.Predicted {
		if known, moreKnown, err = j.take(j.stated(), j.Asking.Limit, func(*joined) bool { return true }); err != nil {
			return nil, false, err
		}
	}
	predicted, morePredicted, err := j.take(search, j.placesOfPredictions(len(known)), func(a *joined) bool { return !a.known })
	if err != nil {
		return nil, false, err
	}
	list, cut := j.cut(known, predicted)
	return list, cut || moreKnown || morePredicted, nil
}

// stated begins a search over what the graph states alone.
func (j *joining) stated() *join.Search {
	return join.New(links.New(j.Graph, nil, links.Options{}), j.Normal, join.Options{Logic: j.Asking.Logic, Time: joinTime})
}

// placesOfPredictions is how many places of the list predictions may have: half of them where known ones have the rest, or a
// few where the list is not to be mixed.
func (j *joining) placesOfPredictions(known int) int {
	limit := j.Asking.Limit
	switch {
	case limit < 0:
		return -1
	case j.Asking.Mixed:
		return max(limit/2, limit-known)
	}
	return max(min(ShownPredictions, limit/2), limit-known)
}

// take gives the first answers of a search that are wanted, and whether there are more; negative is all.
func (j *joining) take(search *join.Search, most int, wanted func(*joined) bool) (list []*joined, more bool, err error) {
	for n := 0; ; n++ {
		a, ok, err := search.Next(j.ctx)
		if err != nil || !ok {
			j.note(search)
			return list, false, err
		}
		if most >= 0 && (len(list) >= most || n >= looks+most) {
			return list, true, nil
		}
		answer, err := j.judged(a)
		if err != nil {
			return nil, false, err
		}
		if wanted(answer) {
			list = append(list, answer)
		}
	}
}

// collectMixed looks for known answers and predictions together: with a negation a known answer may be less likely than a prediction. Mixed, it goes on
// beyond the known ones until half of the list can be predictions.
func (j *joining) collectMixed(search *join.Search) (list []*joined, more bool, err error) {
	limit := j.Asking.Limit
	var known, predicted []*joined
	for n := 0; ; n++ {
		a, ok, err := search.Next(j.ctx)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			break
		}
		if j.isEnough(len(known), len(predicted)) || limit >= 0 && n >= looks+limit {
			more = true
			break
		}
		answer, err := j.judged(a)
		switch {
		case err != nil:
			return nil, false, err
		case j.probability(a.Degree, answer.known) < j.Asking.Threshold: // the search is for the lower of two degrees
		case !answer.known:
			predicted = append(predicted, answer)
		case !j.Asking.Predicted:
			known = append(known, answer)
		}
	}
	list, cut := j.cut(known, predicted)
	return list, more || cut, nil
}

// isEnough tells whether the list is full.
func (j *joining) isEnough(known, predicted int) bool {
	limit := j.Asking.Limit
	switch {
	case limit < 0:
		return false
	case j.Asking.Mixed:
		return predicted >= limit/2 && known+predicted >= limit
	}
	return known+predicted >= limit
}

// cut puts both into one list of the length that was asked for, the likeliest first, and tells whether some had no place.
func (j *joining) cut(known, predicted []*joined) (list []*joined, dropped bool) {
	if limit := j.Asking.Limit; limit >= 0 {
		places := min(len(predicted), j.placesOfPredictions(len(known)))
		left := min(len(known), limit-places)
		dropped = places < len(predicted) || left < len(known)
		known, predicted = known[:left], predicted[:places]
	}
	list = append(slices.Clip(known), predicted...)
	if !slices.IsSortedFunc(list, j.likelierFirst) { // what is stated comes in its order
		slices.SortFunc(list, j.likelierFirst)
	}
	return list, dropped
}

// likelierFirst orders answers, equal ones by their entities; no two have the same.
func (j *joining) likelierFirst(a, b *joined) int {
	if a, b := float32(j.probability(a.of.Degree, a.known)), float32(j.probability(b.of.Degree, b.known)); a != b {
		return cmp.Compare(b, a)
	}
	return slices.Compare(a.of.Entities, b.of.Entities)
}
