package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/eval"
)

// Without a folder of queries the facts that a graph holds out are ranked, each from both ends and in one of four cases.
func TestEvalOfFacts(t *testing.T) {
	command := exec.Command("lacuna", "eval", "-g", toyBetaE, "--split", "valid", "-m", "exact", "-m", "foundation", "--by", "links", "--no-calibration", "--device", "cpu", "--json", "-q")
	var reports []eval.FactsReport
	if err := json.Unmarshal([]byte(printed(t, command, true)), &reports); err != nil || len(reports) != 2 {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	for _, r := range reports {
		ranks, share := 0, 0.0
		for _, c := range r.Cases {
			ranks, share = ranks+c.Answers, share+c.Share
		}
		if r.Facts == 0 || r.All.Answers != 2*r.Facts || ranks != 2*r.Facts || share < 0.999 || share > 1.001 {
			t.Errorf("%s: %d facts, %d ranks, %d in cases, shares of %v", r.Model, r.Facts, r.All.Answers, ranks, share)
		}
		if r.All.Pessimistic.MRR > r.All.MRR || r.All.MRR > r.All.Optimistic.MRR {
			t.Errorf("%s: MRR %v not between %v and %v", r.Model, r.All.MRR, r.All.Pessimistic.MRR, r.All.Optimistic.MRR)
		}
	}
	for want, args := range map[string][]string{
		"expected -d DIR":        {"eval"},
		"expected valid or test": {"eval", "-g", toyBetaE, "--split", "train"},
		"are for queries":        {"eval", "-g", toyBetaE, "--shapes", "2p"},
	} {
		if text := printed(t, exec.Command("lacuna", args...), false); !strings.Contains(text, want) {
			t.Errorf("%v says %q, expected %q", args, text, want)
		}
	}
}
