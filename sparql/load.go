package sparql

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"mime"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/eval"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Remote asks other servers: for SERVICE and, by Fetch, for LOAD.
type Remote interface {
	eval.Remote
	// Fetch gives the text at an address and its media type. It refuses what it may not fetch.
	Fetch(ctx context.Context, address string) (text io.ReadCloser, media string, err error)
}

// MediaTypes are those of graphs, with the format of each.
var MediaTypes = map[string]read.Format{
	"text/turtle": read.Turtle, "application/x-turtle": read.Turtle, "application/n-triples": read.NTriples, "text/plain": read.NTriples,
	"application/rdf+xml": read.RDFXML, "application/ld+json": read.JSONLD,
}

// Loaded is an update whose LOAD operations are the insertions of what they fetch, before anything waits for its turn to
// change the graph. A silent one that fails does nothing.
func Loaded(ctx context.Context, u *syntax.Update, remote Remote) (*syntax.Update, error) {
	loaded := &syntax.Update{Operations: make([]syntax.Operation, len(u.Operations))}
	for i, o := range u.Operations {
		if o.Load != "" {
			triples, err := fetched(ctx, o, remote)
			switch {
			case kg.Stopped(ctx) != nil:
				return nil, kg.Stopped(ctx)
			case err != nil && !o.Silent:
				return nil, kg.Errorf(kg.KindOf(err), "sparql", "LOAD: %v", err)
			case err == nil:
				o = syntax.Operation{Insert: triples, Pos: o.Pos}
			}
			o.Load = ""
		}
		loaded.Operations[i] = o
	}
	return loaded, nil
}

// fetched are the triples at the address of a LOAD.
func fetched(ctx context.Context, o syntax.Operation, remote Remote) ([]syntax.Triple, error) {
	if remote == nil {
		return nil, kg.Errorf(kg.Invalid, o.Load, "nothing is fetched here (--load URL allows an address); insert the triples, or put them to the graph store")
	}
	body, contentType, err := remote.Fetch(ctx, o.Load)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(contentType)
	format, known := MediaTypes[media]
	if !known || media == "text/plain" { // of a server that knows no RDF: the name tells
		format = byExtension(o.Load)
	}
	return ReadTriples(ctx, text, read.Options{Format: format, Base: o.Load}, o.Load, o.Into)
}

func byExtension(address string) read.Format {
	if u, err := url.Parse(address); err == nil {
		address = u.Path
	}
	switch path.Ext(address) {
	case ".nt":
		return read.NTriples
	case ".nq":
		return read.NQuads
	case ".trig":
		return read.TriG
	case ".rdf", ".xml", ".owl":
		return read.RDFXML
	case ".jsonld", ".json":
		return read.JSONLD
	}
	return read.Turtle
}

// ReadTriples reads the text of a graph as the triples that an update inserts into one; its blank nodes are new ones. Unpacked, it may be eight times as long.
func ReadTriples(ctx context.Context, text []byte, opts read.Options, name, into string) ([]syntax.Triple, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []syntax.Triple{}, nil
	}
	opts.Unpacked = cmp.Or(opts.Unpacked, 8*int64(len(text)))
	splits, err := read.Stream(ctx, bytes.NewReader(text), name, opts)
	if err != nil {
		return nil, err
	}
	defer splits.Close()
	return insertions(splits.Train, into), nil
}

// insertions are the triples of a graph as an update inserts them.
func insertions(g *kg.Graph, into string) []syntax.Triple {
	all := make([]syntax.Triple, 0, g.NumTriples()+g.Stated.Len())
	insert := func(subject, predicate, object term.Term) {
		t := syntax.Triple{Subject: insertion(subject), Path: syntax.Step{Ref: insertion(predicate)}, Object: insertion(object)}
		if into != "" {
			t.Graph = syntax.Ref{Term: term.Term{Kind: term.IRI, Value: into}}
		}
		all = append(all, t)
	}
	add := func(s kg.Statement) {
		f := g.FactOf(s)
		insert(term.OfEntity(f.Head), term.OfRelation(f.Relation), term.OfEntity(f.Tail))
	}
	for t := range g.Triples() {
		add(kg.Statement{Triple: t})
	}
	if g.Stated != nil {
		for l := range g.Stated.All() {
			add(kg.Statement{Triple: kg.Triple{Head: l.Subject, Relation: kg.LabelRelation, Tail: l.Literal}})
		}
	}
	for i := range g.Annotations().Len() {
		insertStatement(g, i, insert)
	}
	return all
}

// insertStatement inserts what a statement says of its fact, by a node that names it.
func insertStatement(g *kg.Graph, i int, insert func(subject, predicate, object term.Term)) {
	t, said := g.Annotations().At(i)
	f, node := g.FactOf(kg.Statement{Triple: t}), term.Term{Kind: term.Blank, Value: "statement." + strconv.Itoa(i)}
	for _, a := range said {
		if a.Relation == kg.Reifies {
			node = term.OfEntity(a.Value)
		}
	}
	triple, ok := term.TripleOf(term.OfEntity(f.Head), term.OfRelation(f.Relation), term.OfEntity(f.Tail))
	if !ok {
		return
	}
	insert(node, term.OfRelation(kg.Reifies), triple)
	for _, a := range said {
		if a.Relation != kg.Reifies && a.Relation != kg.InGraph {
			insert(node, term.OfRelation(a.Relation), term.OfEntity(a.Value))
		}
	}
}

func insertion(t term.Term) syntax.Ref {
	if parts, ok := t.Parts(); ok && strings.Contains(t.Value, "_:") {
		return syntax.Ref{Of: &[3]syntax.Ref{insertion(parts[0]), insertion(parts[1]), insertion(parts[2])}}
	}
	if t.Kind == term.Blank {
		return syntax.Ref{Var: "_:" + t.Value}
	}
	return syntax.Ref{Term: t}
}
