package sparqltest

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Solutions are results as a test has them: a truth value, a table or a graph.
type Solutions struct {
	Ask, Truth bool
	Graph      bool // rows are triples
	Vars       []string
	Rows       []map[string]term.Term
}

const resultSetNS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"

// ReadSolutions reads the expected results of a test, by the extension of the file:
// SPARQL's formats in XML and JSON, and the vocabulary of the first test suite.
func ReadSolutions(t testing.TB, file string) Solutions {
	t.Helper()
	switch filepath.Ext(file) {
	case ".srx":
		return readXML(t, file)
	case ".srj":
		return readJSON(t, file)
	case ".rdf":
		return readResultSetXML(t, file)
	case ".ttl", ".nt":
		return readResultSet(t, file)
	}
	t.Fatalf("%s: nobody reads such results", file)
	return Solutions{}
}

func readBytes(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readXML(t testing.TB, file string) Solutions {
	t.Helper()
	type literal struct {
		Datatype string `xml:"datatype,attr"`
		Language string `xml:"lang,attr"`
		Text     string `xml:",chardata"`
	}
	var doc struct {
		Variables []struct {
			Name string `xml:"name,attr"`
		} `xml:"head>variable"`
		Boolean *bool `xml:"boolean"`
		Results []struct {
			Bindings []struct {
				Name    string   `xml:"name,attr"`
				URI     *string  `xml:"uri"`
				Blank   *string  `xml:"bnode"`
				Literal *literal `xml:"literal"`
			} `xml:"binding"`
		} `xml:"results>result"`
	}
	if err := xml.Unmarshal(readBytes(t, file), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Boolean != nil {
		return Solutions{Ask: true, Truth: *doc.Boolean}
	}
	var s Solutions
	for _, v := range doc.Variables {
		s.Vars = append(s.Vars, v.Name)
	}
	for _, result := range doc.Results {
		row := map[string]term.Term{}
		for _, b := range result.Bindings {
			switch {
			case b.URI != nil:
				row[b.Name] = term.Term{Kind: term.IRI, Value: *b.URI}
			case b.Blank != nil:
				row[b.Name] = term.Term{Kind: term.Blank, Value: *b.Blank}
			case b.Literal != nil:
				row[b.Name] = literalTerm(b.Literal.Text, b.Literal.Datatype, b.Literal.Language)
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func literalTerm(text, datatype, language string) term.Term {
	if language != "" {
		return term.Term{Kind: term.Literal, Value: text, Language: language}
	}
	return term.Typed(text, datatype)
}

// Reply is SPARQL's JSON format, or an error.
type Reply struct {
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

// Solutions are those of a reply.
func (r Reply) Solutions() Solutions {
	if r.Boolean != nil {
		return Solutions{Ask: true, Truth: *r.Boolean}
	}
	s := Solutions{Vars: r.Head.Vars}
	for _, binding := range r.Results.Bindings {
		row := map[string]term.Term{}
		for name, b := range binding {
			switch b.Type {
			case "uri":
				row[name] = term.Term{Kind: term.IRI, Value: b.Value}
			case "bnode":
				row[name] = term.Term{Kind: term.Blank, Value: b.Value}
			default:
				row[name] = literalTerm(b.Value, b.Datatype, b.Language)
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func readJSON(t testing.TB, file string) Solutions {
	t.Helper()
	var r Reply
	if err := json.Unmarshal(readBytes(t, file), &r); err != nil {
		t.Fatal(err)
	}
	return r.Solutions()
}

// setSolution is a solution of a result set in RDF/XML.
type setSolution struct {
	Index    string `xml:"index"`
	Bindings []struct {
		Variable string `xml:"variable"`
		Value    struct {
			Resource string `xml:"resource,attr"`
			Node     string `xml:"nodeID,attr"`
			Datatype string `xml:"datatype,attr"`
			Language string `xml:"lang,attr"`
			Text     string `xml:",chardata"`
		} `xml:"value"`
	} `xml:"binding"`
}

// readResultSetXML reads the few results that the first test suite has as RDF/XML; all have one shape.
func readResultSetXML(t testing.TB, file string) Solutions {
	t.Helper()
	var doc struct {
		Set struct {
			Variables []string      `xml:"resultVariable"`
			Solutions []setSolution `xml:"solution"`
		} `xml:"ResultSet"`
	}
	if err := xml.Unmarshal(readBytes(t, file), &doc); err != nil {
		t.Fatal(err)
	}
	s := Solutions{Vars: doc.Set.Variables}
	slices.SortFunc(doc.Set.Solutions, func(a, b setSolution) int {
		x, _ := strconv.Atoi(a.Index)
		y, _ := strconv.Atoi(b.Index)
		return cmp.Compare(x, y)
	})
	for _, solution := range doc.Set.Solutions {
		row := map[string]term.Term{}
		for _, b := range solution.Bindings {
			switch {
			case b.Value.Resource != "":
				row[b.Variable] = term.Term{Kind: term.IRI, Value: b.Value.Resource}
			case b.Value.Node != "":
				row[b.Variable] = term.Term{Kind: term.Blank, Value: b.Value.Node}
			default:
				row[b.Variable] = literalTerm(b.Value.Text, b.Value.Datatype, b.Value.Language)
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// readResultSet reads Turtle: a result set by the vocabulary of the first suite, or a graph that is the result itself.
func readResultSet(t testing.TB, file string) Solutions {
	t.Helper()
	f := factsOf(t, file)
	sets := f.objects(resultSetNS + "resultVariable")
	truths := f.objects(resultSetNS + "boolean")
	if len(truths) > 0 {
		return Solutions{Ask: true, Truth: truths[0].Value == "true"}
	}
	isSet := slices.ContainsFunc(f.objects(rdf.Namespace+"type"), func(t term.Term) bool { return t.Value == resultSetNS+"ResultSet" })
	if !isSet && len(sets) == 0 && len(f.objects(resultSetNS+"solution")) == 0 {
		return TriplesOf(t, file)
	}
	s := Solutions{}
	for _, v := range sets {
		s.Vars = append(s.Vars, v.Value)
	}
	solutions := f.objects(resultSetNS + "solution")
	slices.SortFunc(solutions, func(a, b term.Term) int {
		return term.Compare(f.object(a, resultSetNS+"index"), f.object(b, resultSetNS+"index"))
	})
	for _, solution := range solutions {
		row := map[string]term.Term{}
		for _, b := range f[solution][resultSetNS+"binding"] {
			row[f.object(b, resultSetNS+"variable").Value] = f.object(b, resultSetNS+"value")
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// TriplesOf reads a graph as a result.
func TriplesOf(t testing.TB, file string) Solutions {
	t.Helper()
	text := readBytes(t, file)
	return GraphSolutions(Triples(Read(t, "@base <"+folderBase+"> .\n"+string(text), read.Turtle)))
}

// GraphSolutions are triples as a result.
func GraphSolutions(triples [][]term.Term) Solutions {
	s := Solutions{Graph: true, Vars: []string{"subject", "predicate", "object"}}
	for _, triple := range triples {
		row := map[string]term.Term{}
		for i, name := range s.Vars {
			row[name] = triple[i]
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// String shows solutions for messages.
func (s Solutions) String() string {
	if s.Ask {
		return fmt.Sprint(s.Truth)
	}
	return fmt.Sprintf("%v %v", s.Vars, s.Rows)
}
