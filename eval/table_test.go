package eval

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/query"
)

func toyReport(t *testing.T) *Report {
	set := toySet(t)
	return mustRun(t, Options{Set: set, Split: dataset.Test, Method: NewTraversal(set.Graph.Train), Model: "exact"})
}

// TestJSONFields pins the names that scripts rely on.
func TestJSONFields(t *testing.T) {
	data, err := Table(toyReport(t)).JSON()
	must(t, err)
	var r map[string]any
	must(t, json.Unmarshal(data, &r))
	if r["dataset"] != "toy" || r["split"] != "test" || r["model"] != "exact" {
		t.Errorf("dataset %v, split %v, model %v", r["dataset"], r["split"], r["model"])
	}
	figures := []string{"queries", "answers", "mrr", "hits@1", "hits@3", "hits@10", "mape", "spearman", "optimistic", "pessimistic"}
	object := func(of map[string]any, key string) map[string]any {
		inner, ok := of[key].(map[string]any)
		if !ok {
			t.Fatalf("no object %q in %s", key, data)
		}
		return inner
	}
	hasFields(t, "1p", object(object(r, "types"), "1p"), figures)
	hasFields(t, "avg_p", object(r, "avg_p"), append(figures, "types"))
	hasFields(t, "avg_n", object(r, "avg_n"), append(figures, "types"))
	links := object(object(r, "by_missing_links"), "1")
	hasFields(t, "by_missing_links", links, []string{"queries", "answers", "share", "mrr", "hits@1", "hits@3", "hits@10", "types", "avg_p", "avg_n", "optimistic", "pessimistic"})
	hasFields(t, "by_missing_links 1p", object(object(links, "types"), "1p"), []string{"queries", "answers", "mrr", "hits@1", "hits@3", "hits@10", "optimistic", "pessimistic"})
	hasFields(t, "report", r, []string{"dataset", "split", "model", "types", "avg_p", "avg_n", "avg", "by_missing_links", "method", "graph", "full_graph", "query_set", "rules", "seconds"})
	if mrr := object(object(r, "types"), "2p")["mrr"]; mrr != 0.4 {
		t.Errorf("mrr of 2p is %v, want the fraction 0.4", mrr)
	}
	if seed := object(object(r, "query_set"), "provenance")["seed"]; seed != 7.0 {
		t.Errorf("the queries' own seed is %v, want 7", seed)
	}
}

func hasFields(t *testing.T, what string, object map[string]any, want []string) {
	t.Helper()
	got, want := slices.Sorted(maps.Keys(object)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s has %v, want %v", what, got, want)
	}
}

func TestText(t *testing.T) {
	text := Table(toyReport(t)).Text()
	for _, want := range []string{
		"toy · test · exact\n",
		"%                       avg_p  avg_n    1p    2p    3p    2i    3i    pi    ip    2u    up   2in   3in   inp   pin   pni\n",
		"MRR                     40.8*  33.3*  41.7  40.0     -     -     -     -     -     -     -  33.3     -     -     -     -\n",
		"MRR, ties at worst      25.8*  25.0*  26.7  25.0     -     -     -     -     -     -     -  25.0     -     -     -     -\n",
		"queries                     3      1     2     1     -     -     -     -     -     -     -     1     -     -     -     -\n",
		"2 missing: answers       25.0      -     - 100.0     -     -     -     -     -     -     -     -     -     -     -     -\n",
		"* avg_p over 1p 2p only\n",
		"sampled from toy with seed 7.",
		"mean of the best and the worst rank",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	expectWidth(t, text)
}

func expectWidth(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if length := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); length > 120 {
			t.Errorf("%d columns: %s", length, line)
		}
	}
}

// fullReport has all 14 types and two beyond them, at the widest figures there are.
func fullReport(model string, keepKnown bool) *Report {
	tally := newTally()
	for _, shape := range append([]string{"4p", "i(1p,2p,n(ip))"}, query.Shapes...) {
		for range 2 {
			tally.add(Question{shape: shape, Answers: known(1)}, Outcome{Ranks: slices.Repeat(ranksOf(0), 60_000)}, make([]int, 60_000))
		}
	}
	r := &Report{Dataset: "some-benchmark", Split: dataset.Test, Model: model, Method: Description{Kind: "learned", KeepKnown: keepKnown}}
	tally.fill(r)
	tally.fillLinks(r)
	return r
}

func TestSeveralReports(t *testing.T) {
	c := Table(fullReport("exact", false), fullReport("models/fb15k-237-of-a-long-name.safetensors", true))
	text := c.Text()
	expectWidth(t, text)
	for _, want := range []string{
		"some-benchmark · test · 2 reports\n",
		"MRR                     avg_p  avg_n    1p ",
		"exact                   100.0  100.0 100.0 100.0",
		"\n…-a-long-name + known   100.0",
		"\nMRR                       4p  i(1p,2p,n(ip))\nexact                  100.0           100.0\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "*") {
		t.Errorf("a complete average is marked:\n%s", text)
	}
	data, err := c.JSON()
	must(t, err)
	var list []map[string]any
	if err := json.Unmarshal(data, &list); err != nil || len(list) != 2 {
		t.Errorf("%d reports in JSON, %v", len(list), err)
	}
}

// TestWays tells the reports of a model apart by how it answered, where they differ in that.
func TestWays(t *testing.T) {
	by := func(way string, keepKnown bool) *Report {
		r := fullReport("m", keepKnown)
		r.Method.By = way
		return r
	}
	text := Table(by("sets", false), by("sets", true), by("links", true)).Text()
	for _, want := range []string{"\nm by sets  ", "\nm + known by sets  ", "\nm by links  "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := Table(by("sets", false), by("sets", true)).Text(); strings.Contains(text, "by sets") {
		t.Errorf("what holds for all reports is said of each:\n%s", text)
	}
}

// TestNegativeCorrelations leaves a blank before every figure, down to the least there is.
func TestNegativeCorrelations(t *testing.T) {
	r := fullReport("m", false)
	for _, rho := range []float64{-0.1234, -1} {
		for shape, m := range r.Types {
			m.Spearman = &rho
			r.Types[shape] = m
		}
		r.AvgP, r.AvgN = averageOf(r.Types, []string{"1p", "2p"}), averageOf(r.Types, []string{"2in"})
		for line := range strings.Lines(Table(r).Text()) {
			if label, figures, found := strings.Cut(line, "(not %)"); found && label == "Spearman " && len(strings.Fields(figures)) != strings.Count(figures, "-") {
				t.Errorf("figures run into each other: %s", line)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	r := toyReport(t)
	r.Model = "a|b"
	text := Table(r).Markdown()
	columns := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		count := strings.Count(line, "|") - strings.Count(line, `\|`)
		if columns == 0 {
			columns = count
		}
		if count != columns || columns != 18 {
			t.Errorf("%d bars, want %d: %s", count, 18, line)
		}
	}
	for _, want := range []string{`**toy · test · a\|b**`, `| MRR | 40.8\* | 33.3\* | 41.7 | 40.0 |`, `| % | avg\_p | avg\_n | 1p |`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestCSV(t *testing.T) {
	text, err := Table(toyReport(t)).CSV()
	must(t, err)
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll() // which demands lines of one length
	must(t, err)
	find := func(kind, links string) []string {
		at := slices.IndexFunc(lines, func(l []string) bool { return l[4] == kind && l[5] == links })
		if at < 0 {
			t.Fatalf("no line %s %q in\n%s", kind, links, text)
		}
		return lines[at]
	}
	if got := find("2p", ""); !slices.Equal(got[:9], []string{"toy", "test", "exact", "false", "2p", "", "1", "1", "0.4"}) || got[15] != "" {
		t.Errorf("2p: %v", got)
	}
	if got := find("2p", "2"); got[8] != "0.4" || got[14] != "" {
		t.Errorf("2p with 2 missing: %v", got)
	}
	if find("avg_p", "")[6] != "3" || find("avg_n", "")[6] != "1" || len(lines) != 1+3+2+3 {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
}
