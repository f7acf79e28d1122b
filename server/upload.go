package server

import (
	"context"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// What becomes of a graph that is brought as a file.
const (
	asReplacement = "replace"
	asAddition    = "add"
)

// GraphResponse says how a file was read and what is served now.
type GraphResponse struct {
	Graph   GraphInfo `json:"graph"`
	Facts   int       `json:"facts"`   // of the file
	First   []kg.Fact `json:"first"`   // some of them, as they were read
	Remarks []string  `json:"remarks"` // what its reader decided or passed over
}

// firstFacts is how many facts of a file are shown to whoever brought it.
const firstFacts = 3

// takeFile reads the graph in a request's body. There is no limit on the time, as models take theirs to get ready on a large graph.
func takeFile(s *Service, w http.ResponseWriter, r *http.Request) {
	untimed(w)
	query := r.URL.Query()
	file := broughtFile{name: fileName(query.Get("name")), as: query.Get("as"), key: query.Get("key"), columns: query.Get("columns")}
	response, err := s.bring(r.Context(), file, r.Body)
	s.reply(w, response, err)
}

// broughtFile is what a request says of its file.
type broughtFile struct{ name, as, key, columns string }

// fileName is the last part of a path, which some browsers send whole.
func fileName(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// bring reads a graph and puts it in place of the one that is served, or adds it to that.
func (s *Service) bring(ctx context.Context, file broughtFile, body io.Reader) (*GraphResponse, error) {
	if err := s.mayBring(file); err != nil {
		return nil, err
	}
	response := &GraphResponse{Remarks: []string{}}
	options := read.Options{Key: file.key, Columns: file.columns, Report: func(r read.Report) { response.Remarks = append(response.Remarks, r.Remarks()...) }}
	bounded := &io.LimitedReader{R: body, N: s.limits.Upload + 1}
	splits, err := read.Stream(ctx, bounded, file.name, options)
	if bounded.N == 0 { // whatever was read of its beginning
		err = tooLarge("%s: a file of more than %d bytes: serve it by lacuna serve -g", file.name, s.limits.Upload)
		if splits != nil {
			splits.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	response.Facts, response.First = splits.Train.NumTriples(), first(splits.Train, firstFacts)
	if file.as == asAddition {
		err = s.addGraph(ctx, splits.Train)
	} else {
		err = s.replaceGraph(ctx, splits.Train, file.name)
	}
	response.Graph = s.Info().Graph
	return response, err
}

func (s *Service) mayBring(file broughtFile) error {
	if err := s.writable(); err != nil {
		return err
	}
	switch {
	case s.options.Open == nil:
		return &Error{Kind: "forbidden", Message: "files are taken only by a server that listens on this machine alone", status: http.StatusForbidden}
	case file.name == "." || file.name == "/":
		return invalid("name: expected that of the file, as in /api/graph?name=films.csv")
	case file.as != "" && file.as != asReplacement && file.as != asAddition:
		return invalid("as %q, expected %s or %s", file.as, asReplacement, asAddition)
	case file.as != asAddition && s.durable:
		return invalid("facts are kept for the graph that is served (--facts): a file can be added to it, not put in its place")
	}
	return nil
}

// first are some facts of a graph.
func first(g *kg.Graph, most int) []kg.Fact {
	facts := []kg.Fact{}
	for t := range g.Triples() {
		if len(facts) == most {
			break
		}
		facts = append(facts, kg.Fact{Head: g.Entity(t.Head), Relation: g.Relation(t.Relation), Tail: g.Entity(t.Tail)})
	}
	return facts
}

// addGraph adds the facts of a graph to those that are served.
func (s *Service) addGraph(ctx context.Context, g *kg.Graph) error {
	defer g.Close()
	add := make([]kg.Fact, 0, g.NumTriples())
	for t := range g.Triples() {
		add = append(add, kg.Fact{Head: g.Entities.Names.At(uint32(t.Head)), Relation: g.Relations.Names.At(t.Relation.Base()), Tail: g.Entities.Names.At(uint32(t.Tail))})
	}
	_, err := s.writer.change(ctx, changeOf(FactsRequest{Add: add}))
	return err
}

// replaceGraph serves another graph from now on. Questions that were begun end on the one before.
func (s *Service) replaceGraph(ctx context.Context, g *kg.Graph, name string) error {
	engine, err := s.options.Open(ctx, g, name)
	if err != nil {
		g.Close()
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	at, done := s.snapshots.use()
	position := journal.Position{Version: at.at.Version + 1}
	done()
	next, err := s.snapshots.derive(ctx, engine, position, nil)
	if err != nil {
		engine.Close()
		return err
	}
	s.endFitting()
	next.engine = s.remembering(engine)
	s.snapshots.replace(next)
	s.endFitting = s.calibrate()
	return nil
}
