package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	machines "github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
)

// duckDB runs SQL in a folder: answers by name.
func duckDB(t *testing.T, dir, sql string) map[string]float32 {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node, to run DuckDB (Debian: apt install nodejs npm, then npm ci --prefix links/partition/compare)")
	}
	compare, err := filepath.Abs("../../links/partition/compare")
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(compare, "node_modules/@duckdb/node-bindings-*")); found == nil {
		t.Skip("needs DuckDB: npm ci --prefix links/partition/compare")
	}
	c := exec.CommandContext(t.Context(), node, filepath.Join(compare, "run.mjs"))
	c.Dir, c.Stdin, c.Stderr = dir, strings.NewReader(sql), os.Stderr
	output, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]any
	if err := json.Unmarshal(output, &rows); err != nil {
		t.Fatal(err)
	}
	answers := map[string]float32{}
	for _, row := range rows {
		answers[row[0].(string)] = float32(row[1].(float64))
	}
	return answers
}

// estimated are the estimates by which Lacuna searches for the answers to a question: products of links read from their heads, all followed.
func estimated(t *testing.T, question, file string) map[string]float32 {
	t.Helper()
	engine, err := lacuna.Open(t.Context(), "", lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	rows := links.Options{Least: -1}
	if file != "" {
		if rows.File, err = links.OpenFile(file); err != nil {
			t.Fatal(err)
		}
		defer rows.File.Close()
	}
	prepared, err := engine.Prepare(question)
	if err != nil {
		t.Fatal(err)
	}
	follow := links.Follow{Most: -1, Weight: -1}
	machine := machines.Machine{Executor: links.NewExecutor(links.New(engine.Graph, engine.Model().Predictor, rows), follow), Logic: fuzzy.Product}
	run, err := machine.Run(t.Context(), []*plan.Program{prepared.Program})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Release()
	answers := map[string]float32{}
	for e, p := range run.View(0, prepared.Program.Result()).All() {
		if p > 0 {
			answers[engine.Graph.Entity(e)] = p
		}
	}
	return answers
}

// documentedJoin is the statement of docs/data.md, for two relations and where they begin.
func documentedJoin(t *testing.T, anchor, first, second string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```sql\n")
	sql, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/data.md has no statement of SQL")
	}
	return strings.NewReplacer("Turing Award", anchor, "Win^-1", first, "University", second).Replace(sql)
}

func compareAnswers(t *testing.T, got, want map[string]float32, tolerance float64) {
	t.Helper()
	predicted := 0
	for name, p := range want {
		if math.Abs(float64(got[name]-p)) > tolerance*float64(p) {
			t.Errorf("%s: DuckDB gives %v, Lacuna %v", name, got[name], p)
		}
		if p < 1 {
			predicted++
		}
	}
	if len(got) != len(want) || predicted == 0 {
		t.Errorf("DuckDB gives %d answers, Lacuna %d, %d of them predicted", len(got), len(want), predicted)
	}
}

var twoSteps = []struct{ question, anchor, first, second string }{
	{"?u : exists p: Win(p, Turing Award) & University(p, u)", "Turing Award", "Win^-1", "University"},
	{"?f : exists p: AlmaMater(p, MIT) & Field(p, f)", "MIT", "AlmaMater^-1", "Field"},
	{"?c : exists x: BornIn(Alan Perlis, x) & CityIn(x, c)", "Alan Perlis", "BornIn", "CityIn"},
}

// The join of docs/data.md gives Lacuna's estimates to the bit where both follow everything.
func TestDuckDBAnswersAsLacuna(t *testing.T) {
	dir := t.TempDir()
	args := []string{"links", "--device", "cpu", "--no-calibration", "--all-pairs", "--top", "-1", "--partitions", "3", "-o", filepath.Join(dir, "turing-links")}
	for _, q := range twoSteps {
		args = append(args, "--relation", q.first, "--relation", q.second)
	}
	printed(t, exec.Command("lacuna", args...), true)
	for _, q := range twoSteps {
		compareAnswers(t, duckDB(t, dir, documentedJoin(t, q.anchor, q.first, q.second)), estimated(t, q.question, ""), 0)
	}
}

// Rows that the graph states something of give the estimates by a file of links, which rounds.
func TestDuckDBAnswersAsFileOfLinks(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "turing.links")
	printed(t, exec.Command("lacuna", "links", "--device", "cpu", "--no-calibration", "-o", file), true)
	printed(t, exec.Command("lacuna", "links", "--device", "cpu", "--no-calibration", "--partitions", "3", "-o", filepath.Join(dir, "turing-links")), true)
	for _, q := range twoSteps {
		compareAnswers(t, duckDB(t, dir, documentedJoin(t, q.anchor, q.first, q.second)), estimated(t, q.question, file), 1.1e-3)
	}
}
