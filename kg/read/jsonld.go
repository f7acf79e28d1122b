package read

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/piprate/json-gold/ld"

	"github.com/lacuna-kg/lacuna/kg"
)

// readJSONLD reads a document of JSON-LD 1.1. It is held in memory as a whole, as its
// context may stand anywhere. Contexts elsewhere are not fetched: what a file means
// must not depend on the network.
func (l *loader) readJSONLD(in *input, part split) (err error) {
	// The library panics on some documents that are no JSON-LD.
	defer func() {
		if wrong := recover(); wrong != nil {
			err = kg.Errorf(kg.Invalid, in.name, "no JSON-LD: %v", wrong)
		}
	}()
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return kg.Errorf(kg.Invalid, in.name, "the text is not valid UTF-8")
	}
	var document any
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &document); err != nil {
		return kg.ErrorAt(kg.Invalid, kg.Place{Name: in.name, Line: lineOf(text, err)}, "%s", jsonProblem(err))
	}
	opts := ld.NewJsonLdOptions(l.opts.Base)
	opts.DocumentLoader = noNetwork{}
	dataset, err := ld.NewJsonLdProcessor().ToRDF(document, opts)
	if err != nil {
		return kg.Errorf(kg.Invalid, in.name, "no JSON-LD: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	return l.dataset(in.name, dataset.(*ld.RDFDataset), part)
}

// lineOf is the line of a syntax error, 0 where it has no place.
func lineOf(text []byte, err error) int {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return 0
	}
	return 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
}

// noNetwork refuses to fetch a context.
type noNetwork struct{}

func (noNetwork) LoadDocument(url string) (*ld.RemoteDocument, error) {
	return nil, ld.NewJsonLdError(ld.LoadingDocumentFailed, "the context "+url+" is not fetched, expected it within the document")
}

func (l *loader) dataset(name string, d *ld.RDFDataset, part split) error {
	for _, graph := range slices.Sorted(maps.Keys(d.Graphs)) {
		for _, quad := range d.Graphs[graph] {
			var terms [3][]byte
			for i, node := range []ld.Node{quad.Subject, quad.Predicate, quad.Object} {
				var err error
				if terms[i], err = l.termName(node); err != nil {
					return kg.Errorf(kg.Invalid, name, "%q: %v", node.GetValue(), err)
				}
			}
			var in []byte
			if graph != "@default" {
				in = []byte(graph)
			}
			l.stateIn(in, part, terms[0], terms[1], terms[2])
		}
	}
	return nil
}

// termName is the name of a term.
func (l *loader) termName(node ld.Node) ([]byte, error) {
	value := node.GetValue()
	if strings.ContainsRune(value, 0) {
		return nil, errors.New("a NUL character, expected text")
	}
	switch n := node.(type) {
	case ld.Literal:
		return literalName(n)
	case *ld.Literal:
		return literalName(*n)
	}
	if ld.IsBlankNode(node) {
		if !l.nodes.state(value) {
			return nil, errors.New("the label is taken by a node without label")
		}
		return []byte(value), nil
	}
	return []byte(value), checkIRI([]byte(value))
}

func literalName(n ld.Literal) ([]byte, error) {
	name := appendLiteral(nil, []byte(n.Value), "")
	switch {
	case n.Language != "":
		if languageLength([]byte(n.Language)) != len(n.Language) {
			return nil, errors.New(n.Language + " is no language")
		}
		return append(append(name, '@'), n.Language...), nil
	case n.Datatype != "":
		if err := checkIRI([]byte(n.Datatype)); err != nil {
			return nil, err
		}
		return dropStringType(append(append(append(name, "^^<"...), n.Datatype...), '>')), nil
	}
	return name, nil
}
