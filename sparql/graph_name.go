package sparql

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/eval"
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
	if n := d.Graph.Named().Len(); n > 0 {
		return fmt.Sprintf("<%s>: no graph has that name; there are %d that have one, such as %v", strings.TrimSpace(iri), n, term.OfEntity(d.Graph.Named().Name(1)))
	}
	called := "without a name"
	if d.Name != "" {
		called = "called " + filepath.Base(d.Name)
	}
	return fmt.Sprintf("<%s>: there is one graph here, %s; leave it out", strings.TrimSpace(iri), called)
}

// asked is what a query is asked of: as a request, which counts more, or FROM say, else all that is here. A graph
// that is missing counts as empty, and is told.
func (d Dataset) asked(q *syntax.Query) (_ eval.Dataset, missing []error) {
	data := eval.Dataset{Graph: d.Graph}
	if d.Remote != nil { // or it would be an interface that is not nil
		data.Remote = d.Remote
	}
	if d.Strict {
		data.Default = []uint32{kg.Unnamed}
	}
	if d.within != "" {
		data.Default = []uint32{}
		if graph, known := d.Graph.Named().Find(graphName(d.within)); known {
			data.Default = []uint32{graph}
		}
		return data, nil
	}
	from := q.From
	if d.From != nil {
		from = d.From
	}
	if len(from) == 0 {
		return data, nil
	}
	own := data.Default
	data.Default, data.Named = []uint32{}, []uint32{}
	whole := false
	for _, f := range from {
		graph, known := d.Graph.Named().Find(graphName(f.IRI))
		switch {
		case known && f.Named:
			data.Named = append(data.Named, graph)
		case known:
			data.Default = append(data.Default, graph)
		case f.Named:
			missing = append(missing, syntax.Errorf(f.Pos, "FROM NAMED %s", d.OtherGraph(f.IRI)))
		case !d.Names(f.IRI):
			missing = append(missing, syntax.Errorf(f.Pos, "FROM %s", d.OtherGraph(f.IRI)))
		default:
			whole = true
		}
	}
	switch {
	case whole && own == nil:
		data.Default = nil
	case whole:
		data.Default = append(data.Default, own...)
	}
	data.Default, data.Named = distinctGraphs(data.Default), distinctGraphs(data.Named)
	return data, missing
}

func distinctGraphs(graphs []uint32) []uint32 {
	slices.Sort(graphs)
	return slices.Compact(graphs)
}

// predicted refuses what tells graphs apart, as facts are predicted from all together.
func (d Dataset) predicted(q *syntax.Query) (*syntax.Query, error) {
	data, missing := d.asked(q)
	if len(missing) > 0 {
		return nil, missing[0]
	}
	plain := *q
	if plain.From = nil; data.Default != nil && len(q.From)+len(d.From) > 0 {
		plain.From = slices.Concat(d.From, q.From)
	}
	return &plain, nil
}
