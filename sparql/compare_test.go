package sparql

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// oxigraph answers batches of queries by Oxigraph, a line of JSON for each.
func oxigraph(t *testing.T, batches []batch) [][]byte {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node, to run Oxigraph (Debian: apt install nodejs npm, then npm ci --prefix sparql/compare)")
	}
	if _, err := os.Stat("compare/node_modules/oxigraph"); err != nil {
		t.Skip("needs Oxigraph: npm ci --prefix sparql/compare")
	}
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	for _, b := range batches {
		if err := encoder.Encode(b); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), node, "compare/run.mjs")
	cmd.Stdin, cmd.Stderr = &input, os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(output, []byte("\n")), []byte("\n"))
	if len(lines) != len(batches) {
		t.Fatalf("Oxigraph answered %d batches of %d", len(lines), len(batches))
	}
	return lines
}

// TestCompare runs random queries of basic patterns here and by Oxigraph.
func TestCompare(t *testing.T) {
	compareRandom(t, sparqltest.NewGenerator, (*sparqltest.Generator).Query)
}

// TestCompareLanguage does the same with queries of the whole language.
func TestCompareLanguage(t *testing.T) {
	compareRandom(t, sparqltest.NewLanguageGenerator, (*sparqltest.Generator).LanguageQuery)
}

// compareRandom compares the results of random queries as bags. LACUNA_COMPARE sets how many graphs
// are drawn, with twenty queries each, and LACUNA_COMPARE_SEED the seed of the first.
func compareRandom(t *testing.T, generator func(seed uint64) *sparqltest.Generator, draw func(*sparqltest.Generator) *syntax.Query) {
	const queriesEach = 20
	graphs, first := setting("LACUNA_COMPARE", 100), setting("LACUNA_COMPARE_SEED", 0)
	batches := make([]batch, graphs)
	for i := range batches {
		g := generator(uint64(first + i))
		b := batch{Graph: g.Graph()}
		for range queriesEach {
			b.add(draw(g))
		}
		batches[i] = b
	}
	solutions := 0
	for i, line := range oxigraph(t, batches) {
		solutions += batches[i].compare(t, sparqltest.ReadNTriples(t, batches[i].Graph), line)
	}
	if solutions < graphs {
		t.Errorf("%d solutions of %d queries: random queries that match nothing prove nothing", solutions, graphs*queriesEach)
	}
	t.Logf("%d queries from seed %d on, %d solutions", graphs*queriesEach, first, solutions)
}

// setting is a whole number of the environment, or what it is without one.
func setting(name string, without int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return without
}

// TestCompareBenchmark does the same on a real graph, with the queries of a file.
func TestCompareBenchmark(t *testing.T) {
	const folder = "../../shared/data/CoDEx-S"
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("needs %s (docs/data.md)", folder)
	}
	splits, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b batch
	text, err := os.ReadFile("testdata/codex-s.rq")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		q, err := syntax.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		b.add(q)
	}
	var triples strings.Builder
	g := splits.Train
	for f := range g.Triples() {
		fmt.Fprintf(&triples, "%v %v %v .\n", term.OfEntity(g.Entities.Names.At(uint32(f.Head))),
			term.OfRelation(g.Relations.Names.At(f.Relation.Base())), term.OfEntity(g.Entities.Names.At(uint32(f.Tail))))
	}
	b.Graph = triples.String()
	if solutions := b.compare(t, g, oxigraph(t, []batch{b})[0]); solutions < len(b.ours) {
		t.Errorf("%d solutions of %d queries: queries that match nothing prove nothing", solutions, len(b.ours))
	}
}

type batch struct {
	Graph   string   `json:"graph"`
	Queries []string `json:"queries"` // as Oxigraph gets them
	ours    []string
}

func (b *batch) add(q *syntax.Query) {
	b.ours = append(b.ours, q.String())
	b.Queries = append(b.Queries, withoutAlternatives(q).String())
}

func (b batch) compare(t *testing.T, g *kg.Graph, line []byte) (solutions int) {
	var replies []sparqltest.Reply
	if err := json.Unmarshal(line, &replies); err != nil {
		t.Fatal(err)
	}
	for i, text := range b.ours {
		if replies[i].Error != "" {
			t.Fatalf("Oxigraph refuses:\n%s\n%s", b.Queries[i], replies[i].Error)
		}
		want := replies[i].Solutions()
		if strings.HasPrefix(text, "SELECT (COUNT") && len(want.Rows) == 0 {
			want = zeroCounts(replies[i].Head.Vars)
		}
		r, err := Run(t.Context(), text, Dataset{Graph: g}, Options{})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		got, err := sparqltest.Found(t, r)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		solutions += len(got.Rows)
		if !sparqltest.Same(got, want, false) {
			t.Errorf("graph:\n%.5000s\nquery:\n%s\n%.5000s", b.Graph, text, sparqltest.Difference(got, want))
		}
	}
	return solutions
}

// zeroCounts is the solution that the recommendation has for the count of nothing.
// Oxigraph gives none where it sees beforehand that a pattern matches nothing.
func zeroCounts(names []string) sparqltest.Solutions {
	row := map[string]term.Term{}
	for _, name := range names {
		row[name] = term.Integer(0)
	}
	return sparqltest.Solutions{Vars: names, Rows: []map[string]term.Term{row}}
}
