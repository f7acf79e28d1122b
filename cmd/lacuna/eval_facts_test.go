package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// Some facts of one relation are hidden and looked for among all its pairs, beside the baselines.
func TestEvalOfRelation(t *testing.T) {
	table := filepath.Join(t.TempDir(), "family.tsv")
	var facts strings.Builder
	for i := range 12 {
		fmt.Fprintf(&facts, "child%d\tparent\tmother%d\nmother%d\tlives in\ttown%d\nchild%d\tlives in\ttown%d\n", i, i/2, i/2, i/4, i, i/4)
	}
	if err := os.WriteFile(table, []byte(facts.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("lacuna", "eval", "-g", table, "--relation", "parent", "--hide", "0.25", "--seed", "3", "--device", "cpu", "--json", "-q")
	var report eval.RelationReport
	if err := json.Unmarshal([]byte(printed(t, command, true)), &report); err != nil {
		t.Fatal(err)
	}
	if report.Relation != "parent" || report.Hidden != 3 || len(report.Rows) != 3 || report.Pairs != report.Heads*report.Tails-9 {
		t.Errorf("%+v", report)
	}
	for _, row := range report.Rows {
		if row.Heads.Answers != 3 || row.Tails.Answers != 3 || row.All.MRR <= 0 || row.AUROC <= 0 || row.AUROC > 1 {
			t.Errorf("%+v", row)
		}
	}
	for want, args := range map[string][]string{
		"expected --relation R":  {"eval", "-g", table, "--hide", "0.5"},
		"expected -g GRAPH":      {"eval", "-d", toyBetaE, "--relation", "parent"},
		"expected a share above": {"eval", "-g", table, "--relation", "parent", "--hide", "0"},
		`no relation "sister"`:   {"eval", "-g", table, "--relation", "sister"},
	} {
		if text := printed(t, exec.Command("lacuna", args...), false); !strings.Contains(text, want) {
			t.Errorf("%v says %q, expected %q", args, text, want)
		}
	}
}
