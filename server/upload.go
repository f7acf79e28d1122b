package server

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// What becomes of a graph that is brought as a file.
const (
	asReplacement = "replace"
	asAddition    = "add"
	asPlan        = "plan" // nothing: how it would be read is all that is asked
)

// GraphResponse says how a file was read and what is served now.
type GraphResponse struct {
	Graph   GraphInfo `json:"graph"`
	Facts   int       `json:"facts"`   // of the file
	First   []kg.Fact `json:"first"`   // some of them, as they were read
	Remarks []string  `json:"remarks"` // what its reader decided or passed over
	// Plan is what each table and column of the file becomes; edited, it may be given back in a form, as its part plan, before the file.
	Plan *read.Plan `json:"plan,omitempty"`
}

// firstFacts is how many facts of a file are shown to whoever brought it.
const firstFacts = 3

// waitingUploads is how many files may wait for a place: their senders wait, too.
const waitingUploads = 8

// takeFile reads the graph in a request's body. There is no limit on the whole time, as models take theirs to get ready on a
// large graph, but on that of the client to send the file.
func takeFile(s *Service, w http.ResponseWriter, r *http.Request) {
	control := untimed(w)
	query := r.URL.Query()
	file := broughtFile{name: fileName(query.Get("name")), as: query.Get("as"), key: query.Get("key"), columns: query.Get("columns")}
	body := &steady{body: r.Body, control: control, rest: func(worked time.Duration) {
		s.cores.others.rest(r.Context(), clientOf(r.Context()), worked)
	}}
	content, err := file.parts(body, r.Header.Get("Content-Type"))
	var response *GraphResponse
	if err == nil {
		response, err = s.bring(r.Context(), file, content)
	}
	if body.tooSlow.Load() {
		err = &Error{Kind: "cancelled", Message: "the file came too slowly", status: http.StatusRequestTimeout}
	}
	s.reply(w, response, err)
}

// steady is a body that has to come at a rate: a client that stalls would keep the place from others. Between two pieces of it
// whoever reads it rests.
type steady struct {
	body    io.Reader
	control *http.ResponseController
	rest    func(worked time.Duration)
	waited  time.Duration // for the client
	worked  time.Duration // since the last rest
	had     time.Time     // the last piece, zero before
	read    int64
	tooSlow atomic.Bool // who reads ahead may still do so when the request is answered
}

// How long a client may send nothing, and how much of it is to come on average after as long again.
const (
	stall    = 10 * time.Second
	leastBps = 32 << 10             // bytes a second
	piece    = 512                  // bytes: of a packed file that may be half a megabyte, some milliseconds' work
	burst    = 2 * time.Millisecond // of work, after which to rest
)

func (b *steady) Read(p []byte) (int, error) {
	now := time.Now()
	if !b.had.IsZero() {
		b.worked += now.Sub(b.had)
	}
	if b.worked >= burst {
		b.rest(b.worked)
		now, b.worked = time.Now(), 0
	}
	_ = b.control.SetReadDeadline(b.deadline(now)) // fails where there is no connection, as in tests
	n, err := b.body.Read(p[:min(len(p), piece)])
	b.had = time.Now()
	b.waited += b.had.Sub(now)
	b.read += int64(n)
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
		b.tooSlow.Store(errors.Is(err, os.ErrDeadlineExceeded))
	}
	return n, err
}

// deadline is when the next bytes have to be there.
func (b *steady) deadline(now time.Time) time.Time {
	average := 2*stall + time.Duration(b.read)*time.Second/leastBps - b.waited
	return now.Add(min(stall, average))
}

// boundedBody ends a body after so many bytes, as io.LimitedReader does; who reads ahead may still do so when others
// ask what is left, or read the rest.
type boundedBody struct {
	reading sync.Mutex
	body    io.Reader
	left    atomic.Int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	left := b.left.Load()
	if left <= 0 {
		return 0, io.EOF
	}
	n, err := b.body.Read(p[:min(int64(len(p)), left)])
	b.left.Store(left - int64(n))
	return n, err
}

// broughtFile is what a request says of its file.
type broughtFile struct {
	name, as, key, columns string
	plan                   *read.Plan // to read its tables by, nil for one that is guessed
}

// mostPlan bounds a plan: that of a table of a thousand columns takes a fifth of it.
const mostPlan = 1 << 20

// parts gives the content of the file: the body, or the part "file" of a form, behind a part "plan".
func (f *broughtFile) parts(body io.Reader, contentType string) (io.Reader, error) {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" {
		return body, nil
	}
	form := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := form.NextPart()
		switch {
		case err != nil:
			return nil, invalid("the form: expected a part plan, which may be left out, and behind it a part file")
		case part.FormName() == "file":
			return part, nil
		case part.FormName() != "plan":
			return nil, invalid("the form has a part %q, expected plan and file", part.FormName())
		}
		if f.plan, err = read.ReadPlan(io.LimitReader(part, mostPlan), "plan"); err != nil {
			return nil, err
		}
	}
}

// fileName is the last part of a path, which some browsers send whole.
func fileName(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// bring reads a graph and puts it in place of the one that is served, or adds it to that.
func (s *Service) bring(ctx context.Context, file broughtFile, body io.Reader) (*GraphResponse, error) {
	if err := s.mayBring(ctx, file); err != nil {
		return nil, err
	}
	leave, err := s.uploads.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	response := &GraphResponse{Remarks: []string{}}
	options := read.Options{Key: file.key, Columns: file.columns, Plan: file.plan, Unpacked: s.limits.Unpacked, Report: func(r read.Report) {
		response.Remarks, response.Plan = append(response.Remarks, r.Remarks()...), r.Plan
	}}
	bounded := &boundedBody{body: body}
	bounded.left.Store(s.limits.Upload + 1)
	if file.as == asPlan {
		response.First, response.Graph = []kg.Fact{}, s.Info().Graph
		response.Plan, err = read.StreamPlan(ctx, bounded, file.name, options)
		_, _ = io.Copy(io.Discard, bounded) // a browser that is still sending does not see the answer
		return response, err
	}
	splits, err := read.Stream(ctx, bounded, file.name, options)
	if bounded.left.Load() == 0 { // whatever was read of its beginning
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

func (s *Service) mayBring(ctx context.Context, file broughtFile) error {
	if err := s.writable(ctx); err != nil {
		return err
	}
	switch {
	case s.options.Open == nil:
		return &Error{Kind: "forbidden", Message: "files are taken only by a server that listens on this machine alone", status: http.StatusForbidden}
	case file.name == "." || file.name == "/":
		return invalid("name: expected that of the file, as in /api/graph?name=films.csv")
	case file.as != "" && file.as != asReplacement && file.as != asAddition && file.as != asPlan:
		return invalid("as %q, expected %s, %s or %s", file.as, asReplacement, asAddition, asPlan)
	case file.as != asAddition && file.as != asPlan && s.durable:
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
		if s := (kg.Statement{Triple: t}); g.States(s) {
			add = append(add, g.FactOf(s))
		}
	}
	for graph := range uint32(g.Named().Len()) {
		for _, t := range g.Named().Facts(graph + 1) {
			add = append(add, g.FactOf(kg.Statement{Graph: graph + 1, Triple: t}))
		}
	}
	for _, t := range g.Denied() {
		add = append(add, g.DenialOf(t))
	}
	for i := range g.Annotations().Len() {
		t, said := g.Annotations().At(i)
		f := g.FactOf(kg.Statement{Triple: t})
		if said = slices.DeleteFunc(said, func(a kg.Annotation) bool { return a.Relation == kg.InGraph }); g.Named().OnlyNamed(t) {
			f.Graph = g.GraphsOf(t)[0]
		}
		f.Said = kg.NewSaid(said)
		add = append(add, f)
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
