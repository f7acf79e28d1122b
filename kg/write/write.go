// Package write writes a graph in the syntaxes of RDF 1.2 with all that it states: facts, labels, who states them, and what is
// said of them. Package read gives it back as it was. Names that are no IRIs are written in the namespace urn:lacuna:.
package write

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// Formats are those that are written; the last two hold no graphs with names.
var Formats = []read.Format{read.NQuads, read.TriG, read.NTriples, read.Turtle}

// FormatOf tells by the extension of a file whether it is to be RDF, and which.
func FormatOf(path string) (format read.Format, ok bool) {
	extension := strings.ToLower(filepath.Ext(path))
	for _, f := range read.Formats {
		if slices.Contains(f.Extensions, extension) && slices.Contains(Formats, f.Format) {
			return f.Format, true
		}
	}
	return "", false
}

// Report is how much was written.
type Report struct {
	Facts      int // in all graphs
	Labels     int
	Denied     int // facts that are known to be false
	Graphs     int // that have names
	Statements int // with annotations
	Lonely     int // entities without facts or labels, which RDF cannot state
}

// Options say what to write.
type Options struct {
	Format read.Format
	// Only, where given, tells which facts and labels are written.
	Only func(kg.Statement) bool
	// OnlyDenied, where given, tells which facts that are known to be false are.
	OnlyDenied func(kg.Fact) bool
}

// File writes a graph to a file, which appears whole or not at all.
func File(ctx context.Context, path string, g *kg.Graph, opts Options) (Report, error) {
	out, err := atomicfile.Create(path)
	if err != nil {
		return Report{}, kg.WriteError(path, err)
	}
	defer out.Abort()
	report, err := Graph(ctx, out, g, opts)
	if err != nil {
		if kg.KindOf(err) == kg.Cancelled || kg.KindOf(err) == kg.Invalid {
			return report, kg.Errorf(kg.KindOf(err), path, "%v", err)
		}
		return report, kg.WriteError(path, err)
	}
	return report, kg.WriteError(path, out.Commit())
}

// Graph writes a graph.
func Graph(ctx context.Context, to io.Writer, g *kg.Graph, opts Options) (Report, error) {
	lines := opts.Format == read.NTriples || opts.Format == read.NQuads
	if n := g.Named().Len(); n > 0 && (opts.Format == read.NTriples || opts.Format == read.Turtle) {
		return Report{}, kg.Errorf(kg.Invalid, "", "the graph has %s, which %s cannot hold: expected .nq or .trig", count.Of(n, "named graph"), opts.Format)
	}
	out := bufio.NewWriterSize(to, 1<<16)
	w := &writer{ctx: ctx, graph: g, only: opts.Only, onlyDenied: opts.OnlyDenied, out: out}
	if lines {
		w.syntax = &quads{out: out}
	} else {
		w.syntax = newTurtle(out, g.Prefixes)
	}
	if err := w.all(); err != nil {
		return w.report, err
	}
	return w.report, out.Flush()
}

// syntax writes statements, those of a graph and within it of a subject in a row.
type syntax interface {
	graph(name string) // begins one, "" for that without a name
	state(s *statement)
	end()
}

// statement is a fact or label with what is said of it here.
type statement struct {
	subject, predicate, object string // as N-Triples writes them
	about                      []about
}

// about is what one statement of a fact says of it.
type about struct {
	node  string // that names it, as N-Triples writes it, "" for one that nothing else names
	fresh string // a blank node that may be written for it
	said  [][2]string
}
