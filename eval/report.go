package eval

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/query"
)

// Report is the outcome of an evaluation: plain data, with all that is needed to
// read its figures and to reach them again. Figures are fractions, not percent.
type Report struct {
	Dataset string             `json:"dataset"`
	Split   dataset.Split      `json:"split"`
	Model   string             `json:"model"`
	Types   map[string]Metrics `json:"types"`
	AvgP    *Average           `json:"avg_p"` // nil where no such type was evaluated
	AvgN    *Average           `json:"avg_n"`
	Avg     *Average           `json:"avg"` // over all types
	// ByMissingLinks is apart by the number of links that an answer's best derivation
	// lacks: "1", "2", … or underivedKey.
	ByMissingLinks map[string]Stratum `json:"by_missing_links"`

	Method  Description `json:"method"`
	Graph   GraphSize   `json:"graph"`      // what was answered on
	Full    GraphSize   `json:"full_graph"` // what the answers are true on
	Queries Selection   `json:"query_set"`
	Rules   Rules       `json:"rules"`
	Seconds float64     `json:"seconds"`
}

// Metrics are the figures of one type.
type Metrics struct {
	Ranking
	MAPE     float64  `json:"mape"`
	Spearman *float64 `json:"spearman"` // nil where prediction or truth does not vary
}

// Average is the mean over types of equal weight; counts are sums.
type Average struct {
	Metrics
	Types []string `json:"types"` // those that were there to be averaged
}

// Stratum is what belongs to one number of missing links. Its own figures are means over its types.
type Stratum struct {
	Ranking
	Share float64            `json:"share"` // of all ranked answers
	AvgP  *Ranking           `json:"avg_p"`
	AvgN  *Ranking           `json:"avg_n"`
	Types map[string]Ranking `json:"types"`
}

// GraphSize names a graph by its role and gives its size.
type GraphSize struct {
	Name     string `json:"name"`
	Entities int    `json:"entities"`
	Triples  int    `json:"triples"`
}

// Selection says which queries were evaluated and where they come from.
type Selection struct {
	Format     dataset.Format     `json:"format"`
	Shapes     []string           `json:"shapes,omitempty"` // as asked for; none means all
	Limit      int                `json:"limit,omitempty"`  // queries of each type
	Seed       uint64             `json:"seed"`             // of the choice within the limit
	Provenance dataset.Provenance `json:"provenance,omitzero"`
}

// Rules are the definitions behind the figures, in words.
type Rules struct {
	Ranks        string `json:"ranks"`
	Ties         string `json:"ties"`
	Averages     string `json:"averages"`
	Cardinality  string `json:"cardinality"`
	MissingLinks string `json:"missing_links"`
}

func rulesFor(split dataset.Split) Rules {
	targets := "each hard answer"
	if split == dataset.Train {
		targets = "each answer (training queries have no hard ones)"
	}
	return Rules{
		Ranks:        "filtered: " + targets + " among the entities that are no answers",
		Ties:         "mean of the best and the worst rank; optimistic and pessimistic are the bounds",
		Averages:     "over a query's answers, then queries, then types; avg_p and avg_n over those of the 14 types that are listed with them",
		Cardinality:  "predicted: sum of the probabilities above 0.5; true: easy and hard answers; Spearman with average ranks for ties, null where undefined",
		MissingLinks: "fewest atoms, over all derivations of the answer on the full graph, that the graph answered on does not state; complements cost nothing",
	}
}

// averageOf is the mean over those of the shapes that are there, of all types if
// shapes is nil; nil if none is there.
func averageOf(types map[string]Metrics, shapes []string) *Average {
	a := &Average{Types: present(types, shapes)}
	if len(a.Types) == 0 {
		return nil
	}
	var spearman []float64
	for _, shape := range a.Types {
		m := types[shape]
		a.Ranking.add(m.Ranking)
		a.MAPE += m.MAPE
		if m.Spearman != nil {
			spearman = append(spearman, *m.Spearman)
		}
	}
	a.Ranking = a.mean(len(a.Types))
	a.MAPE /= float64(len(a.Types))
	if len(spearman) > 0 {
		rho := mean(spearman)
		a.Spearman = &rho
	}
	return a
}

func newStratum(types map[string]Ranking, allAnswers int) Stratum {
	s := Stratum{Types: types, AvgP: rankingOf(types, positiveShapes()), AvgN: rankingOf(types, negatedShapes())}
	s.Ranking = *rankingOf(types, nil)
	s.Share = float64(s.Answers) / float64(allAnswers)
	return s
}

func rankingOf(types map[string]Ranking, shapes []string) *Ranking {
	found := present(types, shapes)
	if len(found) == 0 {
		return nil
	}
	var sum Ranking
	for _, shape := range found {
		sum.add(types[shape])
	}
	average := sum.mean(len(found))
	return &average
}

// present lists those of the shapes that are there, in their order; all if shapes is nil.
func present[T any](types map[string]T, shapes []string) []string {
	if shapes == nil {
		shapes = inOrder(types)
	}
	return slices.DeleteFunc(slices.Clone(shapes), func(shape string) bool {
		_, ok := types[shape]
		return !ok
	})
}

// inOrder lists types in the order of the paper's table, others behind by name, so
// that sums come out the same every time.
func inOrder[T any](types map[string]T) []string {
	shapes := slices.Clone(query.Shapes)
	for _, shape := range slices.Sorted(maps.Keys(types)) {
		if !slices.Contains(shapes, shape) {
			shapes = append(shapes, shape)
		}
	}
	return slices.DeleteFunc(shapes, func(shape string) bool {
		_, ok := types[shape]
		return !ok
	})
}

// JSON is the report, indented.
func (r *Report) JSON() ([]byte, error) { return json.MarshalIndent(r, "", "  ") }
