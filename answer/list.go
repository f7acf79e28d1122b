package answer

import (
	"cmp"
	"slices"
)

// Wanted is what is to be shown of settled answers.
type Wanted struct {
	Threshold float64 // the least probability of an answer
	Limit     int     // the most answers to list, below 0 for all
}

// Shown is how many predictions are shown whatever the threshold, which only tells answers from what is less likely. LeastShown is the
// probability from which on they are, and anyhow how many are where none is so likely.
const (
	Shown      = 10
	LeastShown = 1e-3
	anyhow     = 3
)

// List is what is shown of a question.
type List struct {
	Answers []Answer // at or above the threshold, the likeliest first
	// LessLikely are below the threshold: the likeliest predictions, so many that with those above it there are Shown, and known answers that
	// the model doubts, such as one of which it predicts what the question negates.
	LessLikely []Answer
	Doubted    int  // how many known answers are below the threshold
	More       bool // some at or above it are not listed
}

// List chooses what is shown of known answers and predictions. Known ones may be many, and mostly they are certain: of a list that is cut short
// they leave up to half to predictions.
func (w Wanted) List(known, predicted []Answer) (l List) {
	known, doubted := w.part(known)
	predicted, below := w.part(predicted)
	l.Doubted = len(doubted)
	left := Shown - len(predicted)
	if w.Limit >= 0 {
		left = min(left, w.Limit-len(predicted))
		places := min(len(predicted), max(w.Limit/2, w.Limit-len(known)))
		room := min(len(known), w.Limit-places)
		l.More = places < len(predicted) || room < len(known)
		known, predicted = known[:room], predicted[:places]
		doubted = doubted[:min(len(doubted), w.Limit)]
	}
	doubted = doubted[:min(len(doubted), Shown)]
	l.Answers = sorted(slices.Concat(known, predicted))
	l.LessLikely = sorted(slices.Concat(shown(below, len(predicted) > 0, max(0, left)), doubted))
	return l
}

// part puts answers in order and parts them at the threshold.
func (w Wanted) part(all []Answer) (above, below []Answer) {
	all = sorted(all)
	at, _ := slices.BinarySearchFunc(all, w.Threshold, func(a Answer, least float64) int {
		if a.Probability >= least && a.Probability > 0 {
			return -1
		}
		return 1
	})
	return all[:at], all[at:]
}

// shown are the likeliest of what is below the threshold: of some probability or, where nothing has that, a few.
func shown(below []Answer, likely bool, most int) []Answer {
	n := 0
	for n < len(below) && below[n].Probability >= LeastShown {
		n++
	}
	if n == 0 && !likely {
		for n < min(len(below), anyhow) && below[n].Probability > 0 {
			n++
		}
	}
	return below[:min(n, most)]
}

// sorted puts the likeliest first, equal ones by their entities.
func sorted(all []Answer) []Answer {
	slices.SortStableFunc(all, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), slices.Compare(a.Entities, b.Entities))
	})
	return all
}

// Expected is how many of the answers are right, by what they promise.
func Expected(all ...[]Answer) (sum float64) {
	for _, list := range all {
		for _, a := range list {
			sum += a.Probability
		}
	}
	return sum
}
