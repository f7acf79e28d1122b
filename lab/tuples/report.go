package tuples

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
)

// Report is the outcome of an evaluation: plain data. Figures are fractions, not percent.
type Report struct {
	Dataset string             `json:"dataset"`
	Split   dataset.Split      `json:"split"`
	Model   string             `json:"model"`
	Types   []Type             `json:"types"` // in the order of the file
	Method  eval.Description   `json:"method"`
	Graph   eval.GraphSize     `json:"graph"`
	Rules   map[string]string  `json:"rules"`
	Queries dataset.Provenance `json:"query_set,omitzero"`
	Seconds float64            `json:"seconds"`
}

// Type is the figures of one type of question.
type Type struct {
	Type      string `json:"type"`
	Questions int    `json:"questions"`
	Variables int    `json:"variables"` // the answers are tuples of so many
	// Joint is how hard answers rank as tuples; Marginal, of questions with several variables, how their entities rank for each variable by itself.
	Joint    *Ranking `json:"joint,omitempty"`
	Marginal *Ranking `json:"marginal,omitempty"`
	// Relaxed is how they rank after links were dropped until the variables form a tree, executed as such.
	Relaxed *Ranking `json:"relaxed,omitempty"`
	// Told is how well right tuples were told from wrong ones.
	Told *Told `json:"told,omitempty"`
	// Found is how often one answer was found where there is one, and none where there is none.
	Found *Found `json:"found,omitempty"`
	// Bounded is how many questions met a bound of time or steps.
	Bounded  int     `json:"bounded"`
	MedianMS float64 `json:"median_ms"` // of a question, several running at a time
}

// Ranking is how well answers rank: the mean over a question's answers, then over questions. An answer that
// ties with others has the mean of its best and its worst rank.
type Ranking struct {
	Questions int `json:"questions"`
	Answers   int `json:"answers"`
	eval.Retrieval
}

// Told is how well a threshold and the order by probability tell right from wrong.
type Told struct {
	Right     int     `json:"right"`
	Wrong     int     `json:"wrong"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// Best is the highest F1 that any threshold has on these tuples, and BestAt the least such threshold: to be used on others.
	Best   float64 `json:"best_f1"`
	BestAt float64 `json:"best_threshold"`
	// Area is that under the curve of right ones against wrong ones, 0.5 by chance: how often a right one is likelier than a wrong one, ties by half.
	Area float64 `json:"auc"`
}

// Found is retrieval of one answer, as AnyCQ measures it: an answer as likely as the threshold is given, and right if all facts say so.
type Found struct {
	Answerable int     `json:"answerable"` // questions that have an answer
	Given      int     `json:"given"`
	Right      int     `json:"right"`
	Precision  float64 `json:"precision"`
	Recall     float64 `json:"recall"`
	F1         float64 `json:"f1"`
}

// judged is a tuple with its probability and whether it is right.
type judged struct {
	probability float64
	right       bool
}

// told makes the figures of tuples that were judged, of which those of a least probability are called right.
func told(all []judged, yes float64) *Told {
	if len(all) == 0 {
		return nil
	}
	t := &Told{}
	said, hit := 0, 0
	for _, j := range all {
		if j.right {
			t.Right++
		} else {
			t.Wrong++
		}
		if j.probability >= yes {
			said++
			if j.right {
				hit++
			}
		}
	}
	t.Precision, t.Recall, t.F1 = f1(hit, said, t.Right)
	t.Best, t.BestAt = bestThreshold(all, t.Right)
	t.Area = area(all, t.Right, t.Wrong)
	return t
}

// bestThreshold tries the probability of every tuple as threshold, but for 0, which calls everything right.
func bestThreshold(all []judged, right int) (best, at float64) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b judged) int { return cmp.Compare(b.probability, a.probability) })
	hit := 0
	for i, j := range all {
		if j.right {
			hit++
		}
		if i+1 < len(all) && all[i+1].probability == j.probability {
			continue // those that are equal are called right together
		}
		if _, _, both := f1(hit, i+1, right); both >= best && hit > 0 && j.probability > 0 {
			best, at = both, j.probability
		}
	}
	return best, at
}

// f1 is precision, recall and their harmonic mean.
func f1(hit, said, right int) (precision, recall, both float64) {
	if said > 0 {
		precision = float64(hit) / float64(said)
	}
	if right > 0 {
		recall = float64(hit) / float64(right)
	}
	if hit > 0 {
		both = 2 * precision * recall / (precision + recall)
	}
	return precision, recall, both
}

// area counts the pairs of a right and a wrong one of which the right is likelier, by the sum of its ranks.
func area(all []judged, right, wrong int) float64 {
	if right == 0 || wrong == 0 {
		return 0.5
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b judged) int { return cmp.Compare(a.probability, b.probability) })
	sum := 0.0
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].probability == all[from].probability {
			to++
		}
		rank := float64(from+to+1) / 2 // the mean of those that are equal, from 1
		for _, j := range all[from:to] {
			if j.right {
				sum += rank
			}
		}
		from = to
	}
	return (sum - float64(right)*float64(right+1)/2) / (float64(right) * float64(wrong))
}

func (r *Ranking) addQuestion(ranks []float64) {
	if len(ranks) == 0 {
		return
	}
	n := float64(len(ranks))
	for _, rank := range ranks {
		r.MRR += 1 / rank / n
		for _, hit := range []struct {
			at float64
			to *float64
		}{{1, &r.Hits1}, {3, &r.Hits3}, {10, &r.Hits10}} {
			if rank <= hit.at {
				*hit.to += 1 / n
			}
		}
	}
	r.Questions++
	r.Answers += len(ranks)
}

// mean divides sums by the questions; nil without any.
func (r Ranking) mean() *Ranking {
	if r.Questions == 0 {
		return nil
	}
	n := float64(r.Questions)
	r.MRR, r.Hits1, r.Hits3, r.Hits10 = r.MRR/n, r.Hits1/n, r.Hits3/n, r.Hits10/n
	return &r
}

// rules are the definitions behind the figures, in words.
var rules = map[string]string{
	"joint":    "filtered: each hard tuple among all tuples that are no answers; of equal probability the mean of the best and the worst rank",
	"marginal": "filtered, for each answer variable by itself: each entity of a hard tuple that is in no easy one, among the entities that are in no answer",
	"relaxed":  "the joint rank after links of the question were dropped until its variables form a tree, which is executed as such",
	"told":     "right and wrong tuples: F1 where the threshold or more says right, the best F1 of any threshold and the least such threshold; the area under the ROC curve",
	"found":    "one answer of the threshold or more is given, right if all facts say so; recall over the questions that have an answer",
}
