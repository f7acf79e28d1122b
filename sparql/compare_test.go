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
	compareRandom(t, 100, sparqltest.NewGenerator, (*sparqltest.Generator).Query)
}

// TestCompareLanguage does the same with queries of the whole language.
func TestCompareLanguage(t *testing.T) {
	compareRandom(t, 500, sparqltest.NewLanguageGenerator, (*sparqltest.Generator).LanguageQuery)
}

// TestCompareConstruct does the same with CONSTRUCT, of basic patterns.
func TestCompareConstruct(t *testing.T) {
	compareRandom(t, 100, sparqltest.NewGenerator, (*sparqltest.Generator).Construct)
}

// TestCompareUpdates does random updates here and by Oxigraph, and compares the graphs after them.
func TestCompareUpdates(t *testing.T) {
	graphs, first := setting("LACUNA_COMPARE", 100), setting("LACUNA_COMPARE_SEED", 0)
	batches := make([]batch, graphs)
	for i := range batches {
		draw := sparqltest.NewGenerator(uint64(first + i))
		batches[i].Graph = draw.Graph()
		for range 20 {
			batches[i].Queries = append(batches[i].Queries, draw.Update().String())
		}
	}
	apart := 0
	for i, line := range oxigraph(t, batches) {
		b := batches[i]
		var replies []sparqltest.Reply
		if err := json.Unmarshal(line, &replies); err != nil {
			t.Fatal(err)
		}
		for j, reply := range replies {
			after, err := updated(t, sparqltest.ReadNTriples(t, b.Graph), b.Queries[j])
			if err != nil || reply.Error != "" {
				t.Fatalf("%s\n%v\nOxigraph: %s", b.Queries[j], err, reply.Error)
			}
			got, _ := answered(t, "SELECT * { ?subject ?predicate ?object }", after)
			want := reply.Solutions()
			if sparqltest.Same(got, want, false) {
				continue
			}
			u, _ := syntax.ParseUpdate(b.Queries[j])
			if defined, ok := sparqltest.NewPlain(sparqltest.ReadNTriples(t, b.Graph)).Update(u); ok && sparqltest.Same(got, defined, false) {
				apart++
			} else {
				t.Errorf("graph:\n%s\nupdate:\n%s\n%.5000s", b.Graph, b.Queries[j], sparqltest.Difference(got, want))
			}
		}
	}
	// It deletes and inserts solution by solution, where all that is deleted goes first (section 3.1.3).
	if most := 2 + graphs/10; apart > most {
		t.Errorf("of %d updates %d end otherwise by Oxigraph than by us and the definition: a misreading of it?", 20*graphs, apart)
	}
	t.Logf("%d updates from seed %d on; %d where Oxigraph departs from the definition", 20*graphs, first, apart)
}

// compareRandom compares the results of random queries as bags. LACUNA_COMPARE sets how many graphs
// are drawn, with twenty queries each, and LACUNA_COMPARE_SEED the seed of the first.
func compareRandom(t *testing.T, usual int, generator func(seed uint64) *sparqltest.Generator, draw func(*sparqltest.Generator) *syntax.Query) {
	const queriesEach = 20
	graphs, first := setting("LACUNA_COMPARE", usual), setting("LACUNA_COMPARE_SEED", 0)
	batches := make([]batch, graphs)
	for i := range batches {
		g := generator(uint64(first + i))
		b := batch{Graph: g.Graph()}
		for range queriesEach {
			b.add(draw(g))
		}
		batches[i] = b
	}
	solutions, apart := 0, 0
	for i, line := range oxigraph(t, batches) {
		found, differing := batches[i].compare(t, sparqltest.ReadNTriples(t, batches[i].Graph), line)
		solutions += found
		apart += differing
	}
	queries := graphs * queriesEach
	if solutions < graphs {
		t.Errorf("%d solutions of %d queries: random queries that match nothing prove nothing", solutions, queries)
	}
	if most := 2 + queries/2000; apart > most {
		t.Errorf("of %d queries Oxigraph has other answers to %d than we and the definition: a misreading of it?", queries, apart)
	}
	t.Logf("%d queries from seed %d on, %d solutions; %d where Oxigraph departs from the definition", queries, first, solutions, apart)
}

// TestPlain runs random queries here and by the definitions of the recommendation, which need no other engine.
func TestPlain(t *testing.T) {
	graphs, first := setting("LACUNA_COMPARE", 100), setting("LACUNA_COMPARE_SEED", 0)
	solutions, settled := 0, 0
	for i := range graphs {
		draw := sparqltest.NewFreeGenerator(uint64(first + i))
		g := sparqltest.ReadNTriples(t, draw.Graph())
		for range 20 {
			q := draw.LanguageQuery()
			got, within := answered(t, q.String(), g)
			if want, ok := sparqltest.NewPlain(g).Answer(q); ok && within {
				settled++
				if !sparqltest.Same(got, want, false) {
					t.Errorf("query:\n%s\n%.5000s", q, sparqltest.Difference(got, want))
				}
			}
			solutions += len(got.Rows)
		}
	}
	if settled < 15*graphs || solutions < graphs {
		t.Errorf("%d queries settled, %d solutions: too few", settled, solutions)
	}
	t.Logf("%d queries from seed %d on, %d solutions", settled, first, solutions)
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
	if solutions, _ := b.compare(t, g, oxigraph(t, []batch{b})[0]); solutions < len(b.ours) {
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

// compare compares the results of all queries. Where they differ the definition decides: apart counts what it
// has as we do.
func (b batch) compare(t *testing.T, g *kg.Graph, line []byte) (solutions, apart int) {
	var replies []sparqltest.Reply
	if err := json.Unmarshal(line, &replies); err != nil {
		t.Fatal(err)
	}
	for i, text := range b.ours {
		if replies[i].Error != "" {
			t.Fatalf("Oxigraph refuses:\n%s\n%s", b.Queries[i], replies[i].Error)
		}
		want := replies[i].Solutions()
		want.Graph = strings.HasPrefix(text, "CONSTRUCT")
		if strings.HasPrefix(text, "SELECT (COUNT") && len(want.Rows) == 0 {
			want = zeroCounts(replies[i].Head.Vars)
		}
		got, within := answered(t, text, g)
		solutions += len(got.Rows)
		if !within || sparqltest.Same(got, want, false) {
			continue
		}
		message := fmt.Sprintf("graph:\n%.5000s\nquery:\n%s\n%.5000s", b.Graph, text, sparqltest.Difference(got, want))
		if defined, ok := plainly(t, text, g); ok && sparqltest.Same(got, defined, false) {
			apart++
			t.Logf("Oxigraph departs from the definition: %s", message)
		} else {
			t.Error(message)
		}
	}
	return solutions, apart
}

// answered are our results, if they are within the limits: of a million random queries some are not.
func answered(t *testing.T, text string, g *kg.Graph) (got sparqltest.Solutions, within bool) {
	r, err := Run(t.Context(), text, Dataset{Graph: g}, Options{})
	if err == nil {
		got, err = sparqltest.Found(t, r)
	}
	if kg.KindOf(err) == kg.TooLarge {
		t.Logf("not compared: %v\n%s", err, text)
		return got, false
	}
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return got, true
}

// plainly are the results by definition, if they can be had.
func plainly(t *testing.T, text string, g *kg.Graph) (sparqltest.Solutions, bool) {
	q, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return sparqltest.NewPlain(g).Answer(q)
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
