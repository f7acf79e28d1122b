package read

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// w3cSuites is where the test suites of the W3C lie, a folder a syntax.
const w3cSuites = "../../../shared/data/w3c"

// TestW3C runs the W3C's suites of each syntax of RDF from their manifests. Names of
// graphs are dropped on both sides, as no graph here has any.
func TestW3C(t *testing.T) {
	for _, suite := range []struct {
		folder string
		format Format
		base   string
		least  int // tests that there are
	}{
		{"rdf-n-triples", NTriples, "", 50},
		{"rdf-n-quads", NQuads, "", 50},
		{"rdf-turtle", Turtle, "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-turtle/", 50},
		{"rdf-trig", TriG, "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-trig/", 50},
		{"rdf-xml", RDFXML, "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-xml/", 50},
		{"rdf12/rdf-n-triples/syntax", NTriples, "", 20},
		{"rdf12/rdf-n-quads/syntax", NQuads, "", 20},
		{"rdf12/rdf-turtle/syntax", Turtle, "https://w3c.github.io/rdf-tests/rdf/rdf12/rdf-turtle/syntax/", 20},
		{"rdf12/rdf-turtle/eval", Turtle, "https://w3c.github.io/rdf-tests/rdf/rdf12/rdf-turtle/eval/", 20},
		{"rdf12/rdf-trig/syntax", TriG, "https://w3c.github.io/rdf-tests/rdf/rdf12/rdf-trig/syntax/", 20},
		{"rdf12/rdf-trig/eval", TriG, "https://w3c.github.io/rdf-tests/rdf/rdf12/rdf-trig/eval/", 20},
	} {
		t.Run(suite.folder, func(t *testing.T) {
			folder := filepath.Join(w3cSuites, suite.folder)
			if _, err := os.Stat(folder); err != nil {
				t.Skipf("needs the W3C's test suite %s (https://github.com/w3c/rdf-tests)", folder)
			}
			run := 0
			for _, c := range readManifest(t, folder) {
				if c.kind == "" || quotesTriples(c, suite.format) {
					continue
				}
				run++
				t.Run(c.name, func(t *testing.T) { c.run(t, folder, suite.format, suite.base) })
			}
			if run < suite.least {
				t.Errorf("only %d tests in the manifest", run)
			}
		})
	}
}

// quotesTriples tells the tests that refuse << s p o >> in N-Triples and N-Quads: RDF-star has it, and such files are read.
func quotesTriples(c w3cTest, format Format) bool {
	refused := []string{"bad-reified-1", "bad-reified-2", "bad-reified-3", "bad-09"}
	return (format == NTriples || format == NQuads) && slices.ContainsFunc(refused, func(end string) bool { return strings.HasSuffix(c.name, end) })
}

// w3cTest is an entry of a manifest.
type w3cTest struct {
	name, kind     string // kind: TestTurtleEval and the like
	action, result string // files
}

func readManifest(t *testing.T, folder string) []w3cTest {
	const here, manifest = "file:///", "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	facts, err := statements(t.Context(), filepath.Join(folder, "manifest.ttl"), Turtle, here)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]*w3cTest{}
	for _, fact := range facts {
		c := tests[fact[0]]
		if c == nil {
			c = &w3cTest{name: strings.TrimPrefix(fact[0], here+"#")}
			tests[fact[0]] = c
		}
		switch fact[1] {
		case "http://www.w3.org/1999/02/22-rdf-syntax-ns#type":
			c.kind = strings.TrimPrefix(fact[2], "http://www.w3.org/ns/rdftest#")
		case manifest + "action":
			c.action = strings.TrimPrefix(fact[2], here)
		case manifest + "result":
			c.result = strings.TrimPrefix(fact[2], here)
		}
	}
	var list []w3cTest
	for _, c := range tests {
		if c.action != "" {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b w3cTest) int { return strings.Compare(a.name, b.name) })
	return list
}

func (c w3cTest) run(t *testing.T, folder string, format Format, base string) {
	if base != "" {
		base += c.action
	}
	got, err := statements(t.Context(), filepath.Join(folder, c.action), format, base)
	if failure := c.failure(t, folder, got, err); failure != "" {
		t.Error(failure)
	}
}

// failure says in what a result differs from the expected, "" if in nothing.
func (c w3cTest) failure(t *testing.T, folder string, got [][3]string, err error) string {
	var user *kg.Error
	switch {
	case strings.Contains(c.kind, "Negative") && err == nil:
		return fmt.Sprintf("no error, and %q", got)
	case strings.Contains(c.kind, "Negative"):
		if !errors.As(err, &user) || user.Kind != kg.Invalid || user.Place.Line == 0 {
			return fmt.Sprintf("an error without a place: %v", err)
		}
		return ""
	case err != nil:
		return err.Error()
	case !strings.Contains(c.kind, "Eval"):
		return ""
	}
	want, err := statements(t.Context(), filepath.Join(folder, c.result), NQuads, "")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := withoutBlankNames(got), withoutBlankNames(want); !slices.Equal(a, b) {
		return fmt.Sprintf("got\n%s\nwant\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	return ""
}

// statements reads a file and lists all that it states, labels included.
func statements(ctx context.Context, path string, format Format, base string) ([][3]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	l := &loader{ctx: ctx, opts: Options{Format: format, Base: base}}
	in := l.open(file, path)
	sample, err := in.sample()
	if err != nil {
		return nil, err
	}
	if err := l.readFile(in, sample, trainSplit); err != nil {
		return nil, err
	}
	var list [][3]string
	entities, relations := l.entities.Names(), l.relations.Names()
	for _, f := range l.facts[trainSplit] {
		list = append(list, [3]string{entities.At(uint32(f.Head)), relations.At(f.Relation.Base()), entities.At(uint32(f.Tail))})
	}
	for _, r := range l.reified {
		list = append(list, [3]string{r.node, kg.Reifies, r.triple})
	}
	names := l.labels.names.Names()
	for _, pair := range l.labels.pairs {
		list = append(list, [3]string{names.At(pair.subject), kg.RDFSLabel, names.At(pair.literal)})
	}
	return list, nil
}

// blankName is a blank node, alone or within a triple term.
var blankName = regexp.MustCompile(`_:[^ ]+`)

// withoutBlankNames lists statements, sorted, with blank nodes called after what is
// said of them, so that graphs that differ in their labels only are equal. Nodes that
// stand in the same relations to everything get one name; no suite rests on telling
// such apart.
func withoutBlankNames(facts [][3]string) []string {
	colour := map[string]string{}
	of := func(name string) string {
		return blankName.ReplaceAllStringFunc(name, func(blank string) string { return "_:" + colour[blank] })
	}
	for range 8 {
		said := map[string][]string{}
		for _, f := range facts {
			if strings.HasPrefix(f[0], "_:") {
				said[f[0]] = append(said[f[0]], ">"+f[1]+" "+of(f[2]))
			}
			for _, at := range blankName.FindAllStringIndex(f[2], -1) { // itself, or within a triple term
				node := f[2][at[0]:at[1]]
				said[node] = append(said[node], "<"+f[1]+" "+of(f[0])+" "+of(f[2][:at[0]])+"*"+of(f[2][at[1]:]))
			}
		}
		for node, list := range said {
			slices.Sort(list)
			colour[node] = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(list, "\n"))))
		}
	}
	var list []string
	for _, f := range facts {
		list = append(list, of(f[0])+" "+f[1]+" "+of(f[2]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
