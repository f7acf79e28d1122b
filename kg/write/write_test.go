package write_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/write"
)

// all lists what a graph states, by names: facts and labels with the graphs that state them, what is said of facts, and what names are called.
func all(g *kg.Graph) (list []string) {
	for t := range g.Triples() {
		if !g.Named().OnlyNamed(t) {
			list = append(list, g.FactOf(kg.Statement{Triple: t}).String())
		}
		for _, said := range g.Annotations().Of(t) {
			slices.SortFunc(said, func(a, b kg.Annotation) int { return strings.Compare(a.Relation+" "+a.Value, b.Relation+" "+b.Value) })
			list = append(list, fmt.Sprintf("%v: %q", g.FactOf(kg.Statement{Triple: t}), said))
		}
	}
	if labels := g.LabelTriples(); labels != nil {
		for l := range labels.All() {
			if !g.Named().OnlyNamed(kg.Triple{Head: l.Subject, Relation: kg.LabelRelation, Tail: l.Literal}) {
				list = append(list, labels.Name(g.Entities.Names, l.Subject)+" label "+labels.Name(g.Entities.Names, l.Literal))
			}
		}
	}
	for _, t := range g.Denied() {
		list = append(list, g.DenialOf(t).String())
	}
	for number := uint32(1); int(number) <= g.Named().Len(); number++ {
		for _, t := range g.Named().Facts(number) {
			list = append(list, g.FactOf(kg.Statement{Graph: number, Triple: t}).String())
		}
	}
	called := func(d kg.Dictionary, id uint32) string {
		if g.Named().Len() > 0 { // which of several labels a name is called by is that of the first graph
			return d.Names.At(id)
		}
		return d.Names.At(id) + " is called " + d.Readable(id)
	}
	for id := range uint32(g.NumEntities()) {
		list = append(list, "entity "+called(g.Entities, id))
	}
	for id := range uint32(g.Relations.Names.Len()) {
		list = append(list, "relation "+called(g.Relations, id))
	}
	slices.Sort(list)
	return list
}

func readBack(t *testing.T, text string, opts read.Options) *kg.Graph {
	t.Helper()
	s, err := read.Stream(t.Context(), strings.NewReader(text), "x", opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s.Train
}

// same writes a graph in every format that holds it, and reads it again.
func same(t *testing.T, g *kg.Graph, from string) {
	t.Helper()
	want := all(g)
	for _, format := range write.Formats {
		if g.Named().Len() > 0 && (format == read.NTriples || format == read.Turtle) {
			continue
		}
		var b bytes.Buffer
		if _, err := write.Graph(t.Context(), &b, g, write.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		if got := all(readBack(t, b.String(), read.Options{Format: format})); !slices.Equal(got, want) {
			t.Fatalf("%s: lost %q\nand got %q\nof\n%s\nwritten as\n%s", format, without(want, got), without(got, want), from, b.String())
		}
	}
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// drawn is a random text of N-Quads, with statements about statements, in any order.
func drawn(random *rand.Rand, graphs bool) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	node := func() string {
		return pick("<http://e/a>", "<http://e/b>", "<http://e/c-1>", "_:b1", "_:s1", "_:anon.1", "<urn:lacuna:Turing%20Award>", "<http://o/x%20(y)>")
	}
	relation := func() string {
		return pick("<http://e/p>", "<http://e/q>", "<urn:lacuna:born%20in>", "<"+kg.RDFSLabel+">")
	}
	literal := func() string {
		return pick(`"x"`, `"x"@en`, `"x"@en--ltr`, `"1"^^<http://www.w3.org/2001/XMLSchema#integer>`, `"a\"b\\c\nd"`, `"\u0000é"@fr-BE`, `"x"^^<http://e/t>`)
	}
	object := func() string {
		if random.IntN(3) == 0 {
			return literal()
		}
		return node()
	}
	graph := func() string {
		if !graphs {
			return ""
		}
		return pick("", "", "", "<http://g/1>", "<http://g/2>", "_:b1")
	}
	var lines, triples []string
	for range 2 + random.IntN(12) {
		triple := node() + " " + relation() + " " + object()
		triples = append(triples, triple)
		for range 1 + random.IntN(2) {
			lines = append(lines, triple+" "+graph()+" .")
		}
	}
	for i := range random.IntN(6) {
		reifier, in := pick("_:r"+fmt.Sprint(i), "_:r0", "<http://r/1>", "_:b1"), graph()
		triple := pick(triples...)
		if random.IntN(8) == 0 {
			triple = node() + " <http://e/p> <<( " + triple + " )>>"
		}
		lines = append(lines, reifier+" <"+kg.Reifies+"> <<( "+triple+" )>> "+in+" .")
		for range random.IntN(3) {
			said := reifier + " " + relation() + " " + pick(object(), object(), "<<( "+pick(triples...)+" )>>")
			lines, triples = append(lines, said+" "+in+" ."), append(triples, said)
		}
	}
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(lines, "\n")
}

// What was read and written is read again as it was, in every format: facts, graphs, labels, annotations and literals of every kind.
func TestRoundTrip(t *testing.T) {
	annotated := 0
	for seed := range uint64(3000) {
		text := drawn(rand.New(rand.NewPCG(seed, 39)), seed%2 == 0) // Turtle holds no named graphs
		g := readBack(t, text, read.Options{Format: read.NQuads})
		if err := g.Check(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		annotated += g.Annotations().Len()
		same(t, g, text)
	}
	if annotated < 500 {
		t.Errorf("only %d statements with annotations were drawn", annotated)
	}
}

// Names of tables, and the properties of their rows, come back as they were.
func TestRoundTripOfTables(t *testing.T) {
	text := "head,relation,tail,since,by\nAda Lovelace,wrote to,Charles Babbage,1833-06-05,\"a, b\"\nAda Lovelace,wrote to,\"x\"\"y\",,\n42,is,\"_:z\",1,%\nAda Lovelace,!wrote to,42,,\n"
	g := readBack(t, text, read.Options{Format: read.CSV})
	if g.Annotations().Len() != 2 {
		t.Fatalf("%d statements with annotations, want 2", g.Annotations().Len())
	}
	same(t, g, text)
}

// What is known to be false stays so, beside what is said of facts.
func TestRoundTripOfDenials(t *testing.T) {
	text := "<x:a> <x:p> <x:b> .\n<x:a> <urn:lacuna:!x:p> <x:c> .\n_:r <" + kg.Reifies + "> <<( <x:a> <x:p> <x:b> )>> .\n_:r <x:q> <x:d> .\n_:r <urn:lacuna:!x:q> <x:e> ."
	g := readBack(t, text, read.Options{Format: read.NTriples})
	if g.NumDenied() != 2 {
		t.Fatalf("%d facts are known to be false, want 2", g.NumDenied())
	}
	same(t, g, text)
}

// A graph is not written to a format that cannot hold it, and nothing is left behind.
func TestTurtleHoldsNoGraphs(t *testing.T) {
	g := readBack(t, "<x:a> <x:r> <x:b> <x:g> .", read.Options{Format: read.NQuads})
	file := filepath.Join(t.TempDir(), "x.ttl")
	_, err := write.File(t.Context(), file, g, write.Options{Format: read.Turtle})
	if err == nil || !strings.Contains(err.Error(), "expected .nq or .trig") {
		t.Errorf("got error %v", err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}

// Facts known to be false are written and read as such, whether their relation is an IRI or another name.
func TestDenialsAreWritten(t *testing.T) {
	g := readBack(t, "a\ttreats\tb\na\t!treats\tc\nb\t!http://example.org/treats\ta\n", read.Options{Format: read.TSV})
	for _, format := range write.Formats {
		var out bytes.Buffer
		report, err := write.Graph(t.Context(), &out, g, write.Options{Format: format})
		if err != nil || report.Denied != 2 || report.Facts != 1 {
			t.Fatalf("%s: %+v, %v", format, report, err)
		}
		back := readBack(t, out.String(), read.Options{Format: format})
		var got []string
		for _, f := range back.Denied() {
			got = append(got, back.DenialOf(f).String())
		}
		slices.Sort(got)
		if strings.Join(got, " ") != "!http://example.org/treats(b, a) !treats(a, c)" || back.NumTriples() != 1 {
			t.Errorf("%s: %v and %d facts of\n%s", format, got, back.NumTriples(), &out)
		}
	}
}
