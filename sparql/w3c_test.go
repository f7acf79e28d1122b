package sparql

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/reason"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// The W3C's test suites, run from their manifests. Tests that do not pass stand in
// testdata/w3c.txt, each with the reason; one that stands there and passes is a fault of
// the list. LACUNA_W3C=list prints what the list would have to say.
const w3cRoot = "../../shared/data/w3c"

// w3cSuites are groups of folders whose rates are printed together. Folders that are not there are passed over.
var w3cSuites = []struct {
	name, folders string
}{
	{"SPARQL 1.0 evaluation", `sparql10/basic sparql10/triple-match sparql10/open-world sparql10/algebra sparql10/bnode-coreference
		sparql10/optional sparql10/optional-filter sparql10/graph sparql10/dataset sparql10/type-promotion sparql10/cast
		sparql10/boolean-effective-value sparql10/bound sparql10/expr-builtin sparql10/expr-ops sparql10/expr-equals sparql10/regex
		sparql10/i18n sparql10/construct sparql10/ask sparql10/distinct sparql10/sort sparql10/solution-seq sparql10/reduced`},
	{"SPARQL 1.0 syntax", "sparql10/syntax-sparql1 sparql10/syntax-sparql2 sparql10/syntax-sparql3 sparql10/syntax-sparql4 sparql10/syntax-sparql5"},
	{"SPARQL 1.1 evaluation", `sparql11/aggregates sparql11/bind sparql11/bindings sparql11/cast sparql11/construct sparql11/exists sparql11/functions
		sparql11/grouping sparql11/negation sparql11/project-expression sparql11/property-path sparql11/subquery sparql11/entailment`},
	{"SPARQL 1.1 Update", `sparql11/add sparql11/basic-update sparql11/clear sparql11/copy sparql11/delete sparql11/delete-data sparql11/delete-insert
		sparql11/delete-where sparql11/drop sparql11/move sparql11/update-silent`},
	{"SPARQL 1.1 syntax", "sparql11/syntax-query sparql11/syntax-fed sparql11/syntax-update-1 sparql11/syntax-update-2"},
	{"SPARQL 1.1 result formats", "sparql11/csv-tsv-res sparql11/json-res"},
	{"SPARQL 1.2", "sparql12/codepoint-escapes sparql12/syntax sparql12/version"},
	{"SPARQL 1.2 triple terms", "sparql12/syntax-triple-terms-positive sparql12/syntax-triple-terms-negative"},
	{"N-Triples", "rdf-n-triples"},
	{"Turtle", "rdf-turtle"},
}

func TestW3C(t *testing.T) {
	if _, err := os.Stat(w3cRoot); err != nil {
		t.Skipf("needs the W3C's test suites in %s (https://github.com/w3c/rdf-tests)", w3cRoot)
	}
	reasons := w3cReasons(t)
	for _, suite := range w3cSuites {
		passed, all, without := 0, 0, 0
		for _, folder := range strings.Fields(suite.folders) {
			if _, err := os.Stat(filepath.Join(w3cRoot, folder)); err != nil {
				continue
			}
			for _, test := range sparqltest.ReadManifest(t, w3cRoot, folder) {
				all++
				switch err := w3cRun(t, w3cRoot, test); {
				case w3cHeld(t, test, err, reasons):
					passed++
				case errors.Is(err, errRegime):
					without++
				}
			}
		}
		if all > 0 {
			t.Logf("%s: %d of %d pass (%.1f %%); %d need another entailment", suite.name, passed, all, 100*float64(passed)/float64(all), without)
		}
	}
	for id := range reasons {
		t.Errorf("%s stands in the list, and no suite has it", id)
	}
}

// TestManifests runs a suite of our own in the W3C's form: it proves the reader of manifests, of which the folder at hand has not all kinds.
func TestManifests(t *testing.T) {
	const root = "testdata/manifests"
	for _, test := range sparqltest.ReadManifest(t, root, "own") {
		err := w3cRun(t, root, test)
		name := test.ID[strings.LastIndexByte(test.ID, '/')+1:]
		switch want, _, _ := strings.Cut(name, "-"); {
		case want == "regime" && !errors.Is(err, errRegime):
			t.Errorf("%s: %v", test.ID, err)
		case want == "wrong" && err == nil:
			t.Errorf("%s passes", test.ID)
		case want == "right" && err != nil:
			t.Errorf("%s: %v", test.ID, err)
		}
	}
}

// w3cReasons is the list of tests that do not pass, with the reason of each.
func w3cReasons(t *testing.T) map[string]string {
	text, err := os.ReadFile("testdata/w3c.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("testdata/w3c.txt: %q gives no reason", line)
		}
		reasons[id] = reason
	}
	return reasons
}

// w3cHeld holds the outcome of a test to the list, from which it is taken, and tells whether it passed. What needs an
// entailment that is not here need not be listed where the suite is not at hand.
func w3cHeld(t *testing.T, test sparqltest.ManifestTest, err error, reasons map[string]string) bool {
	reason, listed := reasons[test.ID]
	delete(reasons, test.ID)
	beyond := strings.HasPrefix(test.ID, "sparql11/") && errors.Is(err, errRegime)
	switch {
	case err != nil && os.Getenv("LACUNA_W3C") == "list":
		what, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Printf("%s: %s\n", test.ID, what)
	case err != nil && !listed && !beyond:
		t.Errorf("%s: %v", test.ID, err)
	case err == nil && listed:
		t.Errorf("%s passes, and stands in testdata/w3c.txt: %s", test.ID, reason)
	}
	return err == nil
}

var (
	errAccepted = errors.New("what is wrong is read without an error")
	errRegime   = errors.New("needs another entailment than the simple one")
)

func w3cRun(t *testing.T, root string, test sparqltest.ManifestTest) error {
	text, err := os.ReadFile(filepath.Join(root, test.Action))
	if err != nil {
		return err
	}
	switch test.Kind {
	case "PositiveSyntaxTest", "PositiveSyntaxTest11":
		_, err = syntax.Parse(string(text))
		return err
	case "NegativeSyntaxTest", "NegativeSyntaxTest11":
		_, err = syntax.Parse(string(text))
		return wanted(err)
	case "PositiveUpdateSyntaxTest11", "PositiveUpdateSyntaxTest":
		_, err = syntax.ParseUpdate(string(text))
		return err
	case "NegativeUpdateSyntaxTest11", "NegativeUpdateSyntaxTest":
		_, err = syntax.ParseUpdate(string(text))
		return wanted(err)
	case "TestNTriplesPositiveSyntax", "TestTurtlePositiveSyntax":
		_, err = w3cGraph(t, root, test.Action)
		return err
	case "TestNTriplesNegativeSyntax", "TestTurtleNegativeSyntax":
		_, err = w3cGraph(t, root, test.Action)
		return wanted(err)
	case "TestTurtleEval":
		return w3cTurtle(t, root, test)
	case "QueryEvaluationTest", "CSVResultFormatTest":
		return w3cEvaluate(t, root, test, string(text))
	case "UpdateEvaluationTest":
		return w3cUpdate(t, root, test, string(text))
	}
	return fmt.Errorf("a test of the kind %s, which nobody knows", test.Kind)
}

// wanted takes an error for a success, and the lack of one for none.
func wanted(err error) error {
	if err == nil {
		return errAccepted
	}
	return nil
}

// w3cGraph reads a file as a graph; its relative IRIs are those of the suite's place.
func w3cGraph(t *testing.T, root string, files ...string) (*kg.Graph, error) {
	whole, format, base := "", read.Turtle, ""
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		switch filepath.Ext(file) {
		case ".nt":
			format = read.NTriples
		case ".rdf":
			format, base = read.RDFXML, w3cBase(file)
		default:
			whole += "@base <" + w3cBase(file) + "> .\n"
		}
		whole += string(text)
	}
	splits, err := read.Stream(t.Context(), strings.NewReader(whole), "test", read.Options{Format: format, Base: base})
	if err != nil {
		return nil, err
	}
	return splits.Train, nil
}

// w3cDataset is a graph with named ones, each of a file. Their blank nodes are different.
func w3cDataset(t *testing.T, root string, files []string, named map[string]string) (*kg.Graph, error) {
	whole, err := w3cGraph(t, root, files...)
	if err != nil || len(named) == 0 {
		return whole, err
	}
	var facts []kg.Fact
	for name, file := range named {
		g, err := w3cGraph(t, root, file)
		if err != nil {
			return nil, err
		}
		own := func(name string) string {
			if label, blank := strings.CutPrefix(name, "_:"); blank {
				return "_:" + strings.ReplaceAll(filepath.Base(file), ".", "-") + "-" + label
			}
			return name
		}
		for _, t := range sparqltest.Triples(g) {
			facts = append(facts, kg.Fact{Head: own(term.EntityName(t[0])), Relation: t[1].PlainName(), Tail: own(term.EntityName(t[2])), Graph: name})
		}
	}
	whole, _, err = whole.ChangeExactly(t.Context(), facts, nil)
	return whole, err
}

// w3cBase is where a file of the suites has its place on the web.
func w3cBase(file string) string {
	if strings.HasPrefix(file, "rdf-") {
		return "https://w3c.github.io/rdf-tests/rdf/rdf11/" + file
	}
	return "file:///" + filepath.Base(file)
}

func w3cTurtle(t *testing.T, root string, test sparqltest.ManifestTest) error {
	got, err := w3cGraph(t, root, test.Action)
	if err != nil {
		return err
	}
	want, err := w3cGraph(t, root, test.Result)
	if err != nil {
		return err
	}
	return difference(sparqltest.GraphSolutions(sparqltest.Triples(got)), sparqltest.GraphSolutions(sparqltest.Triples(want)), false)
}

func difference(got, want sparqltest.Solutions, ordered bool) error {
	if sparqltest.Same(got, want, ordered) {
		return nil
	}
	return fmt.Errorf("other results\n got %v\nwant %v", got, want)
}

func w3cEvaluate(t *testing.T, root string, test sparqltest.ManifestTest, text string) error {
	q, err := syntax.Parse("BASE <" + w3cBase(test.Action) + ">\n" + text)
	if err != nil {
		return err
	}
	named := map[string]string{}
	for _, file := range test.Graphs {
		named[w3cBase(file)] = file
	}
	for _, f := range q.From { // which is loaded where it is not there
		named[f.IRI] = filepath.Join(filepath.Dir(test.Action), filepath.Base(f.IRI))
	}
	g, err := w3cDataset(t, root, test.Data, named)
	if err != nil {
		return err
	}
	data := Dataset{Graph: g, Strict: true}
	if slices.Contains(test.Regimes, "RDFS") { // what is implied stands in graphs of its own
		if data.Graph, _, err = reason.RDFS(t.Context(), g, 0); err != nil {
			return err
		}
		data.Strict = false
	}
	r, err := RunQuery(t.Context(), q, data, Options{})
	if err != nil {
		return err
	}
	if extension := filepath.Ext(test.Result); extension == ".csv" || extension == ".tsv" {
		return w3cTable(t, root, r, test.Result, results.Format(extension[1:]))
	}
	got, err := sparqltest.Found(t, r)
	if err != nil {
		return err
	}
	want := sparqltest.ReadSolutions(t, filepath.Join(root, test.Result))
	if test.Lax {
		got, want = got.Distinct(), want.Distinct()
	}
	if err = difference(got, want, len(q.OrderBy) > 0); err != nil && len(test.Regimes) > 0 && !slices.Contains(test.Regimes, "RDFS") {
		return errRegime
	}
	return err
}

// w3cUpdate compares the graphs that an update leaves.
func w3cUpdate(t *testing.T, root string, test sparqltest.ManifestTest, text string) error {
	before, err := w3cDataset(t, root, test.Data, test.GraphsBefore)
	if err != nil {
		return err
	}
	want, err := w3cDataset(t, root, test.After, test.GraphsAfter)
	if err != nil {
		return err
	}
	after, err := updated(t, before, "BASE <"+w3cBase(test.Action)+">\n"+text)
	if err != nil {
		return err
	}
	for _, query := range []string{allTriples, "SELECT * { GRAPH ?graph { ?subject ?predicate ?object } }"} {
		if err := difference(strictly(t, query, after), strictly(t, query, want), false); err != nil {
			return err
		}
	}
	return nil
}

// strictly answers a query whose default graph is the one without a name.
func strictly(t *testing.T, query string, g *kg.Graph) sparqltest.Solutions {
	r, err := Run(t.Context(), query, Dataset{Graph: g, Strict: true}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := sparqltest.Found(t, r)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const allTriples = "SELECT * { ?subject ?predicate ?object }"

// w3cTable reads what is written as a table, as that of the suite is read.
func w3cTable(t *testing.T, root string, r *results.Results, file string, format results.Format) error {
	want, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err
	}
	var got strings.Builder
	if err := r.Write(&got, format); err != nil {
		return err
	}
	return difference(readTable(t, got.String(), format), readTable(t, string(want), format), false)
}

// readTable reads CSV, which does not tell terms apart but for blank nodes, or TSV.
func readTable(t *testing.T, text string, format results.Format) sparqltest.Solutions {
	var lines [][]string
	if format == results.TSV {
		for line := range strings.Lines(text) {
			lines = append(lines, strings.Split(strings.TrimRight(line, "\r\n"), "\t"))
		}
	} else {
		var err error
		if lines, err = csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	s := sparqltest.Solutions{Vars: lines[0]}
	for _, cells := range lines[1:] {
		row := map[string]term.Term{}
		for i, cell := range cells {
			if cell != "" {
				row[s.Vars[i]] = readCell(t, cell, format)
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func readCell(t *testing.T, cell string, format results.Format) term.Term {
	if label, blank := strings.CutPrefix(cell, "_:"); blank {
		return term.Term{Kind: term.Blank, Value: label}
	}
	if format == results.CSV {
		return term.Typed(cell, "")
	}
	q, err := syntax.Parse("ASK { VALUES ?x { " + cell + " } }")
	if err != nil {
		t.Fatal(err)
	}
	return q.Where.Of[0].(*syntax.Values).Rows[0][0]
}
