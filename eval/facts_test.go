package eval

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
)

// TestFactsByHand ranks the toy's test facts S(2,4), S(2,0), R(0,3) by traversal of R(0,1), R(0,5), S(1,3), which gives none of the
// six entities that are sought; of the six entities those that any split gives are left out:
//
//	asked      sought  wrong answers             rank        given, sought have the relation
//	S(2, ?)    4       1, 2, 3, 5                1 … 5       no, no
//	S(2, ?)    0       the same                  1 … 5       no, no
//	R(0, ?)    3       0, 4                      1 … 3       yes, no
//	S(?, 4)    2       0, 1, 3, 4                1 … 5       no, no (5 has S in validation only)
//	S(?, 0)    2       0, 1, 3, 4, 5             1 … 6       no, no
//	R(?, 3)    0       1, 2, 3, 4, 5             1 … 6       no, yes
func TestFactsByHand(t *testing.T) {
	facts := toyFacts()
	r, err := Facts(t.Context(), FactsOptions{Graph: facts, Name: "toy", Split: dataset.Test, Method: NewTraversal(facts.Train), Model: "exact"})
	must(t, err)
	middle := (3/3.0 + 1/2.0 + 2/3.5) / 6
	if r.Facts != 3 || r.All.Answers != 6 || !near(r.All.MRR, middle) {
		t.Errorf("%d facts, %d ranks, MRR %v, expected 3, 6 and %v", r.Facts, r.All.Answers, r.All.MRR, middle)
	}
	if !near(r.All.Optimistic.MRR, 1) || !near(r.All.Pessimistic.MRR, (3/5.0+1/3.0+2/6.0)/6) {
		t.Errorf("bounds %v and %v", r.All.Optimistic.MRR, r.All.Pessimistic.MRR)
	}
	if !near(r.Tails.MRR, (2/3.0+1/2.0)/3) || !near(r.Heads.MRR, (1/3.0+2/3.5)/3) {
		t.Errorf("tails %v, heads %v", r.Tails.MRR, r.Heads.MRR)
	}
	for i, want := range []struct {
		answers int
		mrr     float64
	}{{0, 0}, {1, 0.5}, {1, 1 / 3.5}, {4, (1 + 1/3.5) / 4}} {
		if c := r.Cases[i]; c.Answers != want.answers || !near(c.MRR, want.mrr) || !near(c.Share, float64(want.answers)/6) {
			t.Errorf("case %s: %+v, expected %+v", caseNames[i], c, want)
		}
	}
}

// A method that gives all the same leaves all to ties, and a limit ranks as many facts as it says, the same by the same seed.
func TestFactsLimit(t *testing.T) {
	facts := toyFacts()
	o := FactsOptions{Graph: facts, Name: "toy", Split: dataset.Test, Method: learnedBy(t, facts.Train, false, doubting), Model: "doubt", Limit: 2, Seed: 5}
	first, err := Facts(t.Context(), o)
	must(t, err)
	second, err := Facts(t.Context(), o)
	must(t, err)
	if first.Facts != 2 || first.All != second.All || !near(first.All.Optimistic.MRR, 1) || first.All.Pessimistic.MRR >= first.All.MRR {
		t.Errorf("%+v\n%+v", first, second)
	}
}

// A fact that is stated already is no test, and a split without facts says so.
func TestFactsLeftOut(t *testing.T) {
	facts := toyFacts()
	facts.Test = append(facts.Test, kg.Triple{Head: 0, Relation: relationR, Tail: 1})
	o := FactsOptions{Graph: facts, Name: "toy", Split: dataset.Test, Method: NewTraversal(facts.Train), Model: "exact"}
	if r, err := Facts(t.Context(), o); err != nil || r.LeftOut != 1 || r.Facts != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	o.Graph = &kg.Splits{Train: facts.Train}
	if _, err := Facts(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no test facts") {
		t.Errorf("error %v", err)
	}
}

func TestFactsTable(t *testing.T) {
	facts := toyFacts()
	r, err := Facts(t.Context(), FactsOptions{Graph: facts, Name: "toy", Split: dataset.Test, Method: NewTraversal(facts.Train), Model: "exact"})
	must(t, err)
	table := FactsTable{r}
	for _, want := range []string{"toy · test · 3 facts from both ends", "34.5", "only at the given", "share of the ranks"} {
		if text := table.Text(); !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if !strings.Contains(table.Markdown(), "| exact | 34.5 |") {
		t.Errorf("markdown:\n%s", table.Markdown())
	}
	if text, err := table.CSV(); err != nil || strings.Count(text, "\n") != 8 {
		t.Errorf("csv %v:\n%s", err, text)
	}
	var read FactsReport
	data, err := table.JSON()
	must(t, err)
	must(t, json.Unmarshal(data, &read))
	if read.All != r.All || len(read.Cases) != 4 {
		t.Errorf("read back %+v", read)
	}
}
