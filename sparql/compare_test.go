package sparql

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestCompare runs random queries here and by Oxigraph, and compares the results as
// bags. LACUNA_COMPARE sets how many graphs are drawn, with twenty queries each.
func TestCompare(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node, to run Oxigraph")
	}
	if _, err := os.Stat("compare/node_modules/oxigraph"); err != nil {
		t.Skip("needs Oxigraph: npm ci --prefix sparql/compare")
	}
	graphs, queriesEach := 100, 20
	if n, err := strconv.Atoi(os.Getenv("LACUNA_COMPARE")); err == nil {
		graphs = n
	}
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	batches := make([]batch, graphs)
	for seed := range batches {
		g := newGenerator(uint64(seed))
		b := batch{Graph: g.graph()}
		for range queriesEach {
			q := g.query()
			b.ours = append(b.ours, q.String())
			b.Queries = append(b.Queries, withoutAlternatives(q).String())
		}
		batches[seed] = b
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
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<28)
	solutions := 0
	for _, b := range batches {
		if !lines.Scan() {
			t.Fatal("Oxigraph gave fewer answers than it was asked for")
		}
		solutions += b.compare(t, lines.Bytes())
	}
	t.Logf("%d queries, %d solutions", graphs*queriesEach, solutions)
}

type batch struct {
	Graph   string   `json:"graph"`
	Queries []string `json:"queries"` // as Oxigraph gets them
	ours    []string
}

// reply is SPARQL's JSON format, or an error.
type reply struct {
	Error   string
	Boolean *bool
	Head    struct{ Vars []string }
	Results struct {
		Bindings []map[string]struct {
			Type, Value, Datatype string
			Language              string `json:"xml:lang"`
		}
	}
}

func (b batch) compare(t *testing.T, line []byte) (solutions int) {
	var replies []reply
	if err := json.Unmarshal(line, &replies); err != nil {
		t.Fatal(err)
	}
	g := readGraph(t, b.Graph)
	for i, text := range b.ours {
		if replies[i].Error != "" {
			t.Fatalf("Oxigraph refuses:\n%s\n%s", b.Queries[i], replies[i].Error)
		}
		want := replies[i].lines()
		if strings.HasPrefix(text, "SELECT (COUNT") && len(want) == 0 {
			want = zeroCounts(replies[i].Head.Vars)
		}
		results, err := Run(t.Context(), text, Dataset{Graph: g}, Options{})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		got := resultLines(t, results)
		solutions += len(got)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("graph:\n%s\nquery:\n%s\n got %q\nwant %q", b.Graph, text, got, want)
		}
	}
	return solutions
}

// zeroCounts is the solution that the recommendation has for the count of nothing.
// Oxigraph gives none where it sees beforehand that a pattern matches nothing.
func zeroCounts(names []string) []string {
	cells := make([]string, len(names))
	for i, name := range names {
		cells[i] = name + "=" + typed("0", xsdInteger).String()
	}
	return []string{strings.Join(cells, " ")}
}

// lines writes every solution as a line of variables and terms.
func (r reply) lines() []string {
	if r.Boolean != nil {
		return []string{fmt.Sprint(*r.Boolean)}
	}
	lines := []string{}
	for _, binding := range r.Results.Bindings {
		var cells []string
		for name, term := range binding {
			kind := map[string]TermKind{"uri": IRI, "bnode": Blank}[term.Type]
			value := Term{Kind: kind, Value: term.Value}
			if kind == Unbound {
				value = typed(term.Value, term.Datatype)
				if value.Language = term.Language; value.Language != "" {
					value.Datatype = ""
				}
			}
			cells = append(cells, name+"="+value.String())
		}
		slices.Sort(cells)
		lines = append(lines, strings.Join(cells, " "))
	}
	return lines
}

// resultLines writes our results in the same way.
func resultLines(t testing.TB, r *Results) []string {
	if r.Ask {
		return []string{fmt.Sprint(r.Truth)}
	}
	lines := []string{}
	for terms, err := range r.Rows {
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for i, term := range terms {
			if term.Kind != Unbound {
				cells = append(cells, r.Vars[i]+"="+term.String())
			}
		}
		slices.Sort(cells)
		lines = append(lines, strings.Join(cells, " "))
	}
	return lines
}
