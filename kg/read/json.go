package read

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"

	"github.com/lacuna-kg/lacuna/kg"
)

// parse reads an object of the text, io.EOF behind the last.
func (t *recordTable) parse() (record, error) {
	if t.ended {
		return nil, io.EOF
	}
	t.number++
	if t.array && !t.decoder.More() {
		t.ended = true
		return nil, t.closeArray()
	}
	switch token, err := t.decoder.Token(); {
	case err == io.EOF && !t.array:
		return nil, io.EOF
	case err != nil:
		return nil, t.problem(err)
	case token != json.Delim('{'):
		return nil, kg.ErrorAt(kg.Invalid, t.lines.at(t.number), "%v, expected an object: a table in JSON is an object a row", token)
	}
	row, err := t.members(nil, "", 0)
	if err != nil {
		return nil, err
	}
	return row, nil
}

// closeArray reads the end of the array, behind which nothing may stand.
func (t *recordTable) closeArray() error {
	if _, err := t.decoder.Token(); err != nil {
		return t.problem(err)
	}
	if _, err := t.decoder.Token(); err != io.EOF {
		return kg.Errorf(kg.Invalid, t.lines.name, "text behind the array of objects")
	}
	return io.EOF
}

// members reads what is left of an object, its names behind a prefix.
func (t *recordTable) members(row record, prefix string, depth int) (record, error) {
	if depth > maxNesting {
		return nil, kg.ErrorAt(kg.Invalid, t.lines.at(t.number), "objects nest deeper than %d", maxNesting)
	}
	for t.decoder.More() {
		name, err := t.decoder.Token()
		if err != nil {
			return nil, t.problem(err)
		}
		if row, err = t.member(row, prefix+name.(string), depth); err != nil {
			return nil, err
		}
	}
	_, err := t.decoder.Token()
	return row, t.problem(err)
}

// member reads the value behind a name.
func (t *recordTable) member(row record, name string, depth int) (record, error) {
	token, err := t.decoder.Token()
	if err != nil {
		return nil, t.problem(err)
	}
	m := member{name: name}
	switch token {
	case json.Delim('{'):
		return t.members(row, name+".", depth+1)
	case json.Delim('['):
		m.list = true
		err = t.elements(&m)
	default:
		err = t.add(&m, token)
	}
	if err != nil || len(m.values) == 0 {
		return row, err
	}
	return append(row, m), nil
}

// elements reads what is left of a list. Lists and objects within it have no place in a table: they are left out and counted.
func (t *recordTable) elements(m *member) error {
	for t.decoder.More() {
		token, err := t.decoder.Token()
		if err != nil {
			return t.problem(err)
		}
		if _, nested := token.(json.Delim); nested {
			t.into.report.SkippedProperties++
			if err := t.pass(); err != nil {
				return err
			}
			continue
		}
		if err := t.add(m, token); err != nil {
			return err
		}
	}
	_, err := t.decoder.Token()
	return t.problem(err)
}

// pass goes behind the end of a list or an object that was opened.
func (t *recordTable) pass() error {
	for depth := 1; depth > 0; {
		token, err := t.decoder.Token()
		switch {
		case err != nil:
			return t.problem(err)
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
	}
	return nil
}

// add appends a value, as a table would have it.
func (t *recordTable) add(m *member, token json.Token) error {
	switch value := token.(type) {
	case string:
		if strings.ContainsRune(value, 0) {
			return kg.ErrorAt(kg.Invalid, t.lines.at(t.number), "a NUL character, expected text")
		}
		m.values = append(m.values, value)
	case json.Number:
		m.values = append(m.values, value.String())
	case bool:
		m.values = append(m.values, map[bool]string{true: "true", false: "false"}[value])
	}
	return nil
}

// problem makes what the decoder says an error with its place.
func (t *recordTable) problem(err error) error {
	var known *kg.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, encoding.ErrInvalidUTF8):
		return kg.ErrorAt(kg.Invalid, t.lines.at(t.number), "the text is not valid UTF-8")
	}
	return kg.ErrorAt(kg.Invalid, t.lines.at(t.number), "%s", jsonProblem(err))
}
