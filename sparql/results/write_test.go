package results

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

func sample() *Results {
	return &Results{Vars: []string{"x", "a&b"}, Rows: Rows([][]term.Term{
		{{Kind: term.IRI, Value: "http://a.org/?q=<1>&2"}, {Kind: term.Literal, Value: "tab\tquote\"line\nend", Language: "en"}},
		{{}, term.Typed("1", term.XSDInteger)},
		{{Kind: term.Blank, Value: "b1"}, term.Typed("a,b", "")},
	})}
}

func TestWrite(t *testing.T) {
	for format, want := range map[Format]string{
		JSON: `{"head":{"vars":["x","a&b"]},"results":{"bindings":[
{"x":{"type":"uri","value":"http://a.org/?q=<1>&2"},"a&b":{"type":"literal","value":"tab\tquote\"line\nend","xml:lang":"en"}},
{"a&b":{"type":"literal","value":"1","datatype":"http://www.w3.org/2001/XMLSchema#integer"}},
{"x":{"type":"bnode","value":"b1"},"a&b":{"type":"literal","value":"a,b"}}
]}}
`,
		XML: `<?xml version="1.0" encoding="UTF-8"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="x"/><variable name="a&amp;b"/></head>
<results>
<result><binding name="x"><uri>http://a.org/?q=&lt;1&gt;&amp;2</uri></binding><binding name="a&amp;b"><literal xml:lang="en">tab&#x9;quote&#34;line&#xA;end</literal></binding></result>
<result><binding name="a&amp;b"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">1</literal></binding></result>
<result><binding name="x"><bnode>b1</bnode></binding><binding name="a&amp;b"><literal>a,b</literal></binding></result>
</results>
</sparql>
`,
		CSV: "x,a&b\r\nhttp://a.org/?q=<1>&2,\"tab\tquote\"\"line\nend\"\r\n,1\r\n_:b1,\"a,b\"\r\n",
		TSV: "?x\t?a&b\n<http://a.org/?q=<1>&2>\t\"tab\\tquote\\\"line\\nend\"@en\n\t\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>\n_:b1\t\"a,b\"\n",
	} {
		var b strings.Builder
		if err := sample().Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s:\n got %s\nwant %s", format, b.String(), want)
		}
	}
}

func TestWriteAsk(t *testing.T) {
	for format, want := range map[Format]string{
		JSON: `"boolean":true`, XML: "<boolean>true</boolean>", CSV: "true\r\n", TSV: "true\n",
	} {
		var b strings.Builder
		if err := (&Results{Ask: true, Truth: true}).Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %q, %v", format, b.String(), err)
		}
	}
}

// Whatever the terms hold, JSON and XML stay well formed.
func TestWriteWellFormed(t *testing.T) {
	odd := term.Typed("\x01\u2028\ufffe</literal>]]>", "")
	r := func() *Results {
		return &Results{Vars: []string{"x"}, Rows: Rows([][]term.Term{{odd}, {{}}})}
	}
	var b strings.Builder
	if err := r().Write(&b, JSON); err != nil || !json.Valid([]byte(b.String())) {
		t.Errorf("JSON: %v, %s", err, b.String())
	}
	b.Reset()
	if err := r().Write(&b, XML); err != nil {
		t.Error(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("XML: %v in %s", err, b.String())
		}
	}
}

// A reader that left ends the evaluation.
func TestWriteStops(t *testing.T) {
	given := 0
	r := &Results{Vars: []string{"x"}, Rows: func(yield func([]term.Term, error) bool) {
		for yield([]term.Term{term.Typed(strings.Repeat("x", 1000), "")}, nil) {
			given++
		}
	}}
	if err := r.Write(brokenWriter{}, JSON); err == nil {
		t.Error("a broken writer gave no error")
	}
	if given > 100 {
		t.Errorf("%d solutions were computed for nobody", given)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }

// A long text is written piece by piece, and is one string.
func TestLongTextsInJSON(t *testing.T) {
	for _, long := range []string{"", strings.Repeat("é\x01\"", 50_000), strings.Repeat("a", 1<<15) + "😀", strings.Repeat("a", 1<<15-1) + "😀"} {
		var b strings.Builder
		r := &Results{Vars: []string{"x"}, Rows: Rows([][]term.Term{{term.Typed(long, "")}})}
		if err := r.Write(&b, JSON); err != nil {
			t.Fatal(err)
		}
		var read struct {
			Results struct {
				Bindings []map[string]struct{ Value string }
			}
		}
		if err := json.Unmarshal([]byte(b.String()), &read); err != nil || read.Results.Bindings[0]["x"].Value != long {
			t.Errorf("a text of %d bytes is read as another, %v", len(long), err)
		}
	}
}

// A predicted ASK says how likely yes is, in JSON beside what the format has.
func TestPredictedAsk(t *testing.T) {
	var b strings.Builder
	probability, known := float32(0.25), false
	if err := (&Results{Ask: true, Probability: &probability, Known: &known}).Write(&b, JSON); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), `{"head":{},"boolean":false,"probability":0.25,"known":false}`+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
