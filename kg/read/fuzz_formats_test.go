package read

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

func FuzzRDFXML(f *testing.F) {
	const open = `<rdf:RDF xmlns:rdf="` + rdf.Namespace + `" xmlns:x="http://x/">`
	f.Add(open + `<x:A rdf:about="http://x/a" x:b="c"><x:r rdf:resource="http://x/d"/><x:s xml:lang="en">t</x:s></x:A></rdf:RDF>`)
	f.Add(open + `<rdf:Description rdf:nodeID="n"><x:r rdf:parseType="Collection"><x:B/></x:r><rdf:li rdf:parseType="Resource"><x:s/></rdf:li></rdf:Description></rdf:RDF>`)
	f.Add(open + `<x:A><x:r rdf:parseType="Literal">a<x:b c="d">e</x:b></x:r><x:r rdf:ID="i">f</x:r></x:A></rdf:RDF>`)
	f.Fuzz(func(t *testing.T, text string) { fuzzRDF(t, text, RDFXML) })
}

func FuzzJSONLD(f *testing.F) {
	f.Add(`{"@context": {"@vocab": "http://x/"}, "@id": "http://x/a", "@type": "T", "r": [1, 2.5, true, {"@list": ["x"]}, {"@value": "y", "@language": "en"}]}`)
	f.Add(`[{"@id": "_:a", "http://x/r": {"@graph": [{"@id": "http://x/b", "http://x/s": "t"}]}}]`)
	f.Fuzz(func(t *testing.T, text string) { fuzzRDF(t, text, JSONLD) })
}

// fuzzAny reads a text of any format and checks what comes of it.
func fuzzAny(t *testing.T, text []byte, format Format) {
	s, err := Stream(t.Context(), bytes.NewReader(text), "x", Options{Format: format})
	if err != nil {
		knownKind(t, err)
		return
	}
	inRange(t, s)
	if strings.ContainsRune(strings.Join(spelled(s), ""), 0) {
		t.Fatal("a name with a NUL character")
	}
}

func FuzzGraphML(f *testing.F) {
	f.Add(`<graphml><key id="k" attr.name="n" attr.type="int"/><graph><node id="a" labels=":X"><data key="k">1</data></node><edge source="a" target="b" label="r"/></graph></graphml>`)
	f.Fuzz(func(t *testing.T, text string) { fuzzAny(t, []byte(text), GraphML) })
}

func FuzzAPOC(f *testing.F) {
	f.Add(`{"type":"node","id":"0","labels":["P"],"properties":{"name":"A","n":[1,2.5e3,true,null,{}]}}` + "\n" + `{"type":"relationship","label":"R","start":{"id":"0"},"end":{"id":"1"}}`)
	f.Fuzz(func(t *testing.T, text string) { fuzzAny(t, []byte(text), APOC) })
}

func FuzzEdgeList(f *testing.F) {
	f.Add("# graph\na b {'label': 'r'}\nb\tc 0.5\n")
	f.Fuzz(func(t *testing.T, text string) { fuzzAny(t, []byte(text), EdgeList) })
}

func FuzzParquet(f *testing.F) {
	var file bytes.Buffer
	rows := []struct {
		Film  string
		Genre []string
		Year  int64
	}{{"Ran", []string{"War", "Drama"}, 1985}, {"Roma", nil, 1972}}
	if err := parquet.Write(&file, rows); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzAny(t, data, Parquet) })
}

func FuzzRecords(f *testing.F) {
	f.Add(`{"film":"Ran","genre":["War","Drama"],"year":1985,"by":{"name":"Kurosawa"}}` + "\n" + `{"film":"Roma","year":null,"x":[[1],{"y":2}]}`)
	f.Add(`[{"head":"a","relation":"r","tail":"b"}, {"head":"b","relation":"r","tail":["c","d"]}]`)
	f.Add(`{"id":1,"id":2}{"id":3,"later":true}`)
	f.Fuzz(func(t *testing.T, text string) { fuzzAny(t, []byte(text), Records) })
}
