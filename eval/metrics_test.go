package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func expectRetrieval(t *testing.T, what string, got, want Retrieval) {
	t.Helper()
	if !near(got.MRR, want.MRR) || !near(got.Hits1, want.Hits1) || !near(got.Hits3, want.Hits3) || !near(got.Hits10, want.Hits10) {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// TestRankingByHand has one query with ranks 1 and 2 … 4 (mean 3), and one with 10 … 11 (mean 10.5).
func TestRankingByHand(t *testing.T) {
	var sums Ranking
	sums.addQuery([]kernel.Rank{{Greater: 0, Equal: 0}, {Greater: 1, Equal: 2}})
	sums.addQuery([]kernel.Rank{{Greater: 9, Equal: 1}})
	sums.addQuery(nil) // nothing to rank: no query
	got := sums.mean(sums.Queries)
	if got.Queries != 2 || got.Answers != 3 {
		t.Errorf("%d queries, %d answers; want 2 and 3", got.Queries, got.Answers)
	}
	expectRetrieval(t, "mean rank", got.Retrieval, Retrieval{(2.0/3 + 1/10.5) / 2, 0.25, 0.5, 0.5})
	expectRetrieval(t, "best rank", got.Optimistic, Retrieval{(0.75 + 0.1) / 2, 0.25, 0.5, 1})
	expectRetrieval(t, "worst rank", got.Pessimistic, Retrieval{(0.625 + 1.0/11) / 2, 0.25, 0.25, 0.5})
}

func TestHitsWithTies(t *testing.T) {
	for _, c := range []struct {
		rank kernel.Rank
		want Retrieval
	}{
		{kernel.Rank{Greater: 0, Equal: 1}, Retrieval{1 / 1.5, 0, 1, 1}},  // 1 or 2
		{kernel.Rank{Greater: 2, Equal: 0}, Retrieval{1 / 3.0, 0, 1, 1}},  // 3
		{kernel.Rank{Greater: 2, Equal: 1}, Retrieval{1 / 3.5, 0, 0, 1}},  // 3 or 4
		{kernel.Rank{Greater: 0, Equal: 18}, Retrieval{1 / 10., 0, 0, 1}}, // 1 … 19
	} {
		var sums Ranking
		sums.addQuery([]kernel.Rank{c.rank})
		expectRetrieval(t, "one answer", sums.Retrieval, c.want)
	}
}

func TestCardinalityByHand(t *testing.T) {
	c := cardinalities{predicted: []float64{0, 3, 6}, truth: []float64{4, 4, 4}}
	if got, want := c.mape(), (1+0.25+0.5)/3; !near(got, want) {
		t.Errorf("MAPE %v, want %v: predicting none is an error of 1", got, want)
	}
	if rho := c.spearman(); rho != nil {
		t.Errorf("Spearman %v of a truth that does not vary, want none", *rho)
	}
	if rho := (cardinalities{predicted: []float64{1}, truth: []float64{1}}).spearman(); rho != nil {
		t.Errorf("Spearman %v of one query, want none", *rho)
	}
}

func TestSpearmanByHand(t *testing.T) {
	for _, c := range []struct {
		predicted, truth []float64
		want             float64
	}{
		{[]float64{10, 20, 900}, []float64{1, 2, 3}, 1},
		{[]float64{3, 2, 1}, []float64{5, 6, 7}, -1},
		// Ranks 1, 2½, 2½, 4 against 1 … 4: covariance 4.5, variances 4.5 and 5.
		{[]float64{1, 2, 2, 3}, []float64{1, 2, 3, 4}, 4.5 / math.Sqrt(4.5*5)},
		// Without ties 1 − 6·Σd²/(n(n²−1)), d = 1, 1, 2, 1, 1.
		{[]float64{2, 1, 5, 3, 4}, []float64{1, 2, 3, 4, 5}, 1 - 6*8.0/(5*24)},
	} {
		rho := cardinalities{c.predicted, c.truth}.spearman()
		if rho == nil || !near(*rho, c.want) {
			t.Errorf("Spearman of %v and %v is %v, want %v", c.predicted, c.truth, rho, c.want)
		}
	}
	if got, want := averageRanks([]float64{7, 1, 7, 7, 0}), []float64{4, 2, 4, 4, 1}; !slices.Equal(got, want) {
		t.Errorf("average ranks %v, want %v", got, want)
	}
}

// TestRanksAgreeWithSorting answers from random scores with many ties, and compares the
// counts made on the device with a twin that sorts them all.
func TestRanksAgreeWithSorting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		entities := 2 + random.IntN(60)
		g := kg.Build(vocabulary(entities, 1), nil)
		var batch []Question
		for i := range 1 + random.IntN(8) {
			q := Question{Expr: tailsOf(kg.Entity(i%entities), relationR)}
			for e := range kg.Entity(entities) {
				switch random.IntN(4) {
				case 0:
					q.Targets, q.Answers = append(q.Targets, e), append(q.Answers, e)
				case 1:
					q.Answers = append(q.Answers, e)
				}
			}
			batch = append(batch, q)
		}
		table := make([]float32, len(batch)*entities)
		for i := range table {
			table[i] = float32(random.IntN(8)) / 8
		}
		method := learnedBy(t, g, false, func(d kernel.Device) scores {
			return func(_ kernel.DeviceGraph, out, _ kernel.Buffer, _ []int32) { d.Upload(out, table) }
		})
		outcomes, err := method.Answer(t.Context(), batch)
		must(t, err)
		for i, q := range batch {
			expectOutcome(t, outcomes[i], naiveOutcome(q, table[i*entities:(i+1)*entities]))
		}
	}
}

func expectOutcome(t *testing.T, got, want Outcome) {
	t.Helper()
	if !slices.Equal(got.Ranks, want.Ranks) || !near(got.Answered, want.Answered) {
		t.Fatalf("ranks %v and %v answers, want %v and %v", got.Ranks, got.Answered, want.Ranks, want.Answered)
	}
}

// naiveOutcome sorts a target among the entities that are no answers, from the
// highest score down, and looks where it may stand.
func naiveOutcome(q Question, score []float32) Outcome {
	var o Outcome
	for _, target := range q.Targets {
		list := []float32{}
		for e, s := range score {
			if !slices.Contains(q.Answers, kg.Entity(e)) || kg.Entity(e) == target {
				list = append(list, s)
			}
		}
		slices.Sort(list)
		slices.Reverse(list)
		best := slices.Index(list, score[target]) + 1
		slices.Reverse(list)
		worst := len(list) - slices.Index(list, score[target])
		o.Ranks = append(o.Ranks, kernel.Rank{Greater: int32(best - 1), Equal: int32(worst - best)})
	}
	for _, s := range score {
		if s > 0.5 {
			o.Answered += float64(s)
		}
	}
	return o
}

// TestCrispRanks holds the closed form of traversal to the sort-based twin.
func TestCrispRanks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		entities := 1 + random.IntN(20)
		score := make([]float32, entities)
		var q Question
		var found []kg.Entity
		for e := range kg.Entity(entities) {
			if random.IntN(3) == 0 {
				score[e], found = 1, append(found, e)
			}
			if kind := random.IntN(4); kind < 2 {
				q.Answers = append(q.Answers, e)
				if kind == 0 {
					q.Targets = append(q.Targets, e)
				}
			}
		}
		expectOutcome(t, crispOutcome(q, found, entities), naiveOutcome(q, score))
	}
}

// TestTypesOfTheAverages pins the two lists to the paper's.
func TestTypesOfTheAverages(t *testing.T) {
	if got := positiveShapes(); !slices.Equal(got, query.Shapes[:9]) {
		t.Errorf("avg_p is over %v", got)
	}
	if got := negatedShapes(); !slices.Equal(got, []string{"2in", "3in", "inp", "pin", "pni"}) {
		t.Errorf("avg_n is over %v", got)
	}
}

func ranksOf(greater ...int32) []kernel.Rank {
	ranks := make([]kernel.Rank, len(greater))
	for i, g := range greater {
		ranks[i].Greater = g
	}
	return ranks
}
