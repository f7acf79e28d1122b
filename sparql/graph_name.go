package sparql

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Names tells whether an IRI means the graph: as clients call the one without a name, by its own name, which a relative
// IRI may give, or as the file that it came from.
func (d Dataset) Names(iri string) bool {
	if syntax.IsDefaultGraph(iri) {
		return true
	}
	if d.Name == "" {
		return false
	}
	if file, err := url.Parse(iri); err == nil && file.Scheme == "file" {
		path, err := filepath.Abs(d.Name)
		return err == nil && filepath.ToSlash(path) == file.Path
	}
	name := term.EntityName(term.Term{Kind: term.IRI, Value: iri})
	return name == d.Name || name == filepath.Base(d.Name)
}

// OtherGraph says that an IRI names a graph that is not here, and which is.
func (d Dataset) OtherGraph(iri string) string {
	called := "without a name"
	if d.Name != "" {
		called = "called " + filepath.Base(d.Name)
	}
	return fmt.Sprintf("<%s>: there is one graph here, %s; leave it out", strings.TrimSpace(iri), called)
}

// without is a query that does not say FROM the graph that it is asked of. Other graphs are refused by their names.
func (d Dataset) without(q *syntax.Query) (*syntax.Query, error) {
	if len(q.From) == 0 {
		return q, nil
	}
	for _, f := range q.From {
		switch {
		case f.Named:
			return nil, syntax.Errorf(f.Pos, "FROM NAMED %s", d.OtherGraph(f.IRI))
		case !d.Names(f.IRI):
			return nil, syntax.Errorf(f.Pos, "FROM %s", d.OtherGraph(f.IRI))
		}
	}
	plain := *q
	plain.From = nil
	return &plain, nil
}
