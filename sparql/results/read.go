package results

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ReadJSON reads the solutions of results in JSON, one at a time, and calls each with them until it returns false. The rest of the
// document is read over.
func ReadJSON(from io.Reader, each func(map[string]term.Term) bool) error {
	d := &jsonReader{json.NewDecoder(from), each}
	found := false
	err := d.members(func(name string) error {
		if name != "results" {
			return d.skip()
		}
		return d.members(func(name string) error {
			if name != "bindings" {
				return d.skip()
			}
			found = true
			return d.bindings()
		})
	})
	switch {
	case err == errEnough:
		return nil
	case kg.KindOf(err) == kg.Failure && err != nil: // of package json
		return kg.Errorf(kg.Invalid, "", "no results of SPARQL in JSON: %v", err)
	case err == nil && !found:
		return kg.Errorf(kg.Invalid, "", "expected results of SPARQL in JSON, found no solutions")
	}
	return err
}

var errEnough = kg.Errorf(kg.Cancelled, "", "enough")

type jsonReader struct {
	*json.Decoder
	each func(map[string]term.Term) bool
}

// members calls a function with the name of each member of an object, whose value it has to read.
func (d *jsonReader) members(member func(name string) error) error {
	if err := d.delim('{'); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := member(name.(string)); err != nil { // the keys of an object are texts
			return err
		}
	}
	return d.delim('}')
}

func (d *jsonReader) delim(want json.Delim) error {
	found, err := d.Token()
	if err == nil && found != want {
		err = kg.Errorf(kg.Invalid, "", "results in JSON: expected %v, found %v", want, found)
	}
	return err
}

func (d *jsonReader) skip() error {
	var rest json.RawMessage
	return d.Decode(&rest)
}

func (d *jsonReader) bindings() error {
	if err := d.delim('['); err != nil {
		return err
	}
	for d.More() {
		var cells map[string]jsonTerm
		if err := d.Decode(&cells); err != nil {
			return err
		}
		row := make(map[string]term.Term, len(cells))
		for name, cell := range cells {
			t, err := cell.term()
			if err != nil {
				return err
			}
			row[name] = t
		}
		if !d.each(row) {
			return errEnough
		}
	}
	return d.delim(']')
}

// jsonTerm is a term as results in JSON have it.
type jsonTerm struct {
	Type      string
	Value     string
	Language  string
	Direction string
	Datatype  string
	parts     [3]term.Term // of a triple term
}

// UnmarshalJSON reads a term; the value of a triple term is an object.
func (j *jsonTerm) UnmarshalJSON(text []byte) error {
	var read struct {
		Type      string          `json:"type"`
		Value     json.RawMessage `json:"value"`
		Language  string          `json:"xml:lang"`
		Direction string          `json:"its:dir"`
		Datatype  string          `json:"datatype"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*j = jsonTerm{Type: read.Type, Language: read.Language, Direction: read.Direction, Datatype: read.Datatype}
	if read.Type != "triple" {
		return json.Unmarshal(read.Value, &j.Value)
	}
	var parts struct{ Subject, Predicate, Object jsonTerm }
	if err := json.Unmarshal(read.Value, &parts); err != nil {
		return err
	}
	for i, part := range []jsonTerm{parts.Subject, parts.Predicate, parts.Object} {
		var err error
		if j.parts[i], err = part.term(); err != nil {
			return err
		}
	}
	return nil
}

func (j jsonTerm) term() (term.Term, error) {
	if j.Direction != "" {
		j.Language += "--" + j.Direction
	}
	if t, ok := term.TripleOf(j.parts[0], j.parts[1], j.parts[2]); ok && j.Type == "triple" {
		return t, nil
	}
	switch {
	case j.Type == "uri" && term.IsIRI(j.Value):
		return term.Term{Kind: term.IRI, Value: j.Value}, nil
	case j.Type == "bnode":
		return term.Term{Kind: term.Blank, Value: j.Value}, nil
	case !slices.Contains([]string{"literal", "typed-literal"}, j.Type):
	case j.Language != "" && term.IsLanguage(j.Language):
		return term.Term{Kind: term.Literal, Value: j.Value, Language: j.Language}, nil
	case j.Language == "" && (j.Datatype == "" || term.IsIRI(j.Datatype)):
		return term.Typed(j.Value, j.Datatype), nil
	}
	return term.Term{}, kg.Errorf(kg.Invalid, "", "results in JSON: the %s %.40q is no term of RDF", j.Type, j.Value)
}
