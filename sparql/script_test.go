package sparql

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// The scripts hold cases after the recommendation's text: a graph in Turtle, which
// serves until the next one, a query on it, and what must come of it. Lines that
// are indented belong to the directive above them; the prefix ":" is declared.
//
//	graph       the triples
//	query       the query
//	solutions   each a line "x=:a y=:b", in any order; none for no solution
//	ordered     the same, in this order
//	truth       true or false
//	fails       a part of the error

type scriptCase struct {
	line              int
	graph, query      string
	directive, expect string
}

func readScript(t *testing.T, file string) (cases []scriptCase) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	directive := ""
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
		case line[0] == ' ' || line[0] == '\t':
			blocks[directive] += strings.TrimSpace(line) + "\n"
			if slices.Contains([]string{"solutions", "ordered", "truth", "fails"}, directive) {
				cases[len(cases)-1].expect = blocks[directive]
			}
		case line == "graph" || line == "query":
			directive = line
			blocks[line] = ""
		case slices.Contains([]string{"solutions", "ordered", "truth", "fails"}, line):
			directive = line
			blocks[line] = ""
			cases = append(cases, scriptCase{line: i + 1, graph: blocks["graph"], query: blocks["query"], directive: line})
		default:
			t.Fatalf("%s:%d: %q is no directive", file, i+1, line)
		}
	}
	return cases
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.script")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		for _, c := range readScript(t, file) {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(file), c.line), func(t *testing.T) { c.run(t) })
		}
	}
}

const scriptNamespace = "http://example.org/"

func (c scriptCase) run(t *testing.T) {
	turtle := "@prefix : <" + scriptNamespace + "> .\n" + c.graph
	splits, err := read.Stream(t.Context(), strings.NewReader(turtle), "graph.ttl", read.Options{Format: read.Turtle})
	if err != nil {
		t.Fatal(err)
	}
	results, err := Run(t.Context(), "PREFIX : <"+scriptNamespace+"> "+c.query, Dataset{Graph: splits.Train}, Options{})
	want := strings.TrimSpace(c.expect)
	if c.directive == "fails" {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got := sparqltest.Lines(t, results)
	for i := range got {
		if got[i] = shortened(got[i]); got[i] == "" {
			got[i] = "(nothing bound)"
		}
	}
	expected := []string{}
	if want != "" {
		expected = strings.Split(want, "\n")
	}
	if c.directive == "solutions" {
		slices.Sort(got)
		slices.Sort(expected)
	}
	if !slices.Equal(got, expected) {
		t.Errorf("%s\n got %q\nwant %q", c.query, got, expected)
	}
}

// shortened writes IRIs of the scripts by their prefix and numbers without their type.
func shortened(line string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "<"+scriptNamespace)
		b.WriteString(before)
		if !found {
			break
		}
		local, after, _ := strings.Cut(rest, ">")
		b.WriteString(":" + local)
		line = after
	}
	return strings.ReplaceAll(b.String(), "^^<"+term.XSDInteger+">", "")
}

// FuzzRun runs whatever parses, in both modes, under tight limits: errors are the user's, and nothing panics.
func FuzzRun(f *testing.F) {
	f.Add(`SELECT ?x { ?x :p ?y . ?y :q ?x }`)
	f.Add(`SELECT ?x ?y { ?x :p/:q ?y FILTER NOT EXISTS { ?x :p ?x } }`)
	f.Add(`SELECT ?x ?l { ?x :p ?y ; <http://www.w3.org/2000/01/rdf-schema#label> ?l . ?y <http://www.w3.org/2000/01/rdf-schema#label> "B" }`)
	const turtle = `@prefix : <urn:lacuna:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :a :p :b, "1" ; rdfs:label "A" . :b :q :a ; rdfs:label "B" .`
	f.Fuzz(func(t *testing.T, text string) {
		g := sparqltest.Read(t, turtle, read.Turtle)
		limits := Limits{Solutions: 1000, Work: 20000, Memory: 20000, Assignments: 10}
		for _, mode := range []Mode{Exact, Predict} {
			r, err := Run(t.Context(), text, Dataset{Graph: g, Predictor: sparqltest.Traversal{Graph: g}}, Options{Mode: mode, Limits: limits})
			if err == nil {
				err = r.Write(new(strings.Builder), results.JSON)
			}
			if err != nil && kg.KindOf(err) == kg.Failure {
				t.Fatalf("%v: %v", mode, err)
			}
		}
	})
}
