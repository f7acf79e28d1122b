package eval

import (
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// Tally takes in the outcomes of queries of one type, one after the other, and keeps sums: no rank is stored.
type Tally struct {
	ranking Ranking // sums over queries
	sizes   cardinalities
}

// Add counts one query in, which has so many answers in truth.
func (t *Tally) Add(o Outcome, answers int) {
	t.ranking.addQuery(o.Ranks)
	t.sizes.add(o.Answered, float64(answers))
}

// Metrics are the figures of the queries so far.
func (t *Tally) Metrics() Metrics {
	return Metrics{t.ranking.mean(t.ranking.Queries), t.sizes.mape(), t.sizes.spearman()}
}

// tally keeps them apart by type.
type tally struct{ types map[string]*typeTally }

type typeTally struct {
	Tally
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
	of.Add(o, len(q.Answers))
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
		r.Types[shape] = of.Metrics()
	}
	r.AvgP = averageOf(r.Types, positiveShapes())
	r.AvgN = averageOf(r.Types, negatedShapes())
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

// underivedKey is the key in by_missing_links of answers that not even the full
// graph gives: the files of the set are wrong about them.
const underivedKey = "none"

func linksKey(links int) string {
	if links == symbolic.NoDerivation {
		return underivedKey
	}
	return strconv.Itoa(links)
}

// positiveShapes are the types of avg_p.
func positiveShapes() []string { return shapesWith(false) }

// negatedShapes are the types of avg_n.
func negatedShapes() []string { return shapesWith(true) }

func shapesWith(negation bool) []string {
	return slices.DeleteFunc(slices.Clone(query.Shapes), func(shape string) bool {
		template, err := query.ParseShape(shape)
		return err != nil || template.Negates() != negation
	})
}
