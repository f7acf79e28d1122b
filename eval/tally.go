package eval

import (
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/query"
)

// tally takes in outcomes, one after the other, and keeps sums: no rank is stored.
type tally struct{ types map[string]*typeTally }

type typeTally struct {
	ranking Ranking // sums over queries
	sizes   cardinalities
	byLinks map[int]*Ranking // of the answers with so many missing links; sums over queries
	part    []kernel.Rank    // scratch
}

func newTally() *tally { return &tally{map[string]*typeTally{}} }

// add counts one question in; missing, if not nil, gives the missing links of each of its targets.
func (t *tally) add(q Question, o Outcome, missing []int) {
	of := t.types[q.shape]
	if of == nil {
		of = &typeTally{byLinks: map[int]*Ranking{}}
		t.types[q.shape] = of
	}
	of.ranking.addQuery(o.Ranks)
	of.sizes.add(o.Answered, float64(len(q.Answers)))
	if missing != nil {
		of.addLinks(o.Ranks, missing)
	}
}

// addLinks counts the query once for each number of missing links among its
// targets, with the targets that have it.
func (t *typeTally) addLinks(ranks []kernel.Rank, missing []int) {
	for _, links := range slices.Compact(slices.Sorted(slices.Values(missing))) {
		t.part = t.part[:0]
		for i, m := range missing {
			if m == links {
				t.part = append(t.part, ranks[i])
			}
		}
		if t.byLinks[links] == nil {
			t.byLinks[links] = &Ranking{}
		}
		t.byLinks[links].addQuery(t.part)
	}
}

// mrr of a type so far.
func (t *tally) mrr(shape string) float64 {
	of := t.types[shape].ranking
	return of.mean(of.Queries).MRR
}

// fill writes the figures into a report.
func (t *tally) fill(r *Report) {
	r.Types = map[string]Metrics{}
	for shape, of := range t.types {
		r.Types[shape] = Metrics{of.ranking.mean(of.ranking.Queries), of.sizes.mape(), of.sizes.spearman()}
	}
	r.AvgP = averageOf(r.Types, PositiveShapes())
	r.AvgN = averageOf(r.Types, NegatedShapes())
	r.Avg = averageOf(r.Types, nil)
}

// fillLinks writes the figures by missing links into a report.
func (t *tally) fillLinks(r *Report) {
	r.ByMissingLinks = map[string]Stratum{}
	answers := 0
	strata := map[int]map[string]Ranking{}
	for shape, of := range t.types {
		answers += of.ranking.Answers
		for links, sums := range of.byLinks {
			if strata[links] == nil {
				strata[links] = map[string]Ranking{}
			}
			strata[links][shape] = sums.mean(sums.Queries)
		}
	}
	for links, types := range strata {
		r.ByMissingLinks[linksKey(links)] = newStratum(types, answers)
	}
}

// NoDerivation is the key in by_missing_links of answers that not even the full
// graph gives: the files of the set are wrong about them.
const NoDerivation = "none"

func linksKey(links int) string {
	if links == noDerivation {
		return NoDerivation
	}
	return strconv.Itoa(links)
}

// PositiveShapes are the types of avg_p.
func PositiveShapes() []string { return shapesWith(false) }

// NegatedShapes are the types of avg_n.
func NegatedShapes() []string { return shapesWith(true) }

func shapesWith(negation bool) []string {
	return slices.DeleteFunc(slices.Clone(query.Shapes), func(shape string) bool {
		template, err := query.ParseShape(shape)
		return err != nil || template.Negates() != negation
	})
}
