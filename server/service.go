// Package server gives a graph to many at once: it merges concurrent questions into
// batches, remembers predictions, takes new facts, and speaks HTTP.
//
// Its place in the flow: above the engine of the root package, below the command
// line. Service is what it does, as Go values (ask.go, facts.go, browse.go, with
// batch.go and snapshot.go behind them); whoever must wait does so in one kind of
// queue (queue.go, gate.go). Handler puts HTTP around it (http.go, routes.go,
// guard.go, openapi.go). Other faces of the same service, such as tools for language
// models, are built on Service too.
package server

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/memory"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/limit"
)

// Options is what a service is made of.
type Options struct {
	Engine    *lacuna.Engine // owned by the service from now on, but not where New fails
	Questions []Prepared     // to begin with; nil: examples of the graph as it is
	Limits    Limits
	Facts     *journal.Opened // where facts are kept, with the graph that is the engine's; nil: in memory only
	ReadOnly  bool            // facts cannot be changed
	Log       *slog.Logger
	Version   string // of the program
	// Calibrate fits the probabilities of links as soon as there is a service. Else the first question waits for it.
	Calibrate bool
	// Truth makes the graph that answers are judged by, where the engine has one and the graph has to be built anew. Nil: without.
	Truth func(ctx context.Context, g *kg.Graph) (*kg.Graph, error)
	// Open makes an engine of a graph that a user brings as a file, to be served in place of the one before. Nil: nobody may.
	// As before with Engine, the engine owns the graph, but not where Open fails.
	Open func(ctx context.Context, g *kg.Graph, name string) (*lacuna.Engine, error)
	// Remote is asked by SERVICE in the patterns of updates. Nil: nobody.
	Remote sparql.Remote

	indexing indexing // of names, another in tests
}

// Prepared is a question to begin with.
type Prepared struct {
	Title    string `json:"title"`
	Question string `json:"question"`
	Why      string `json:"why"` // what it shows
}

// Service answers questions on a graph that changes. It may be used concurrently.
type Service struct {
	options                Options
	limits                 Limits
	log                    *slog.Logger
	snapshots              snapshots
	cache                  *lacuna.Cache // nil without
	metrics                *metrics
	predict                *lane
	exact                  *lane
	cores                  *cores
	queries                *limit.Pool // memory of queries in SPARQL
	joins                  *gate       // questions that take much memory and time, each by itself
	explains               *gate
	predicts               *gate // whole relations
	likely                 *gate // missing facts of one entity
	uploads                *gate
	large                  *gate // calls whose bodies are large, of handlers that read these themselves
	bodies                 *rates
	writer                 *writer
	journal                journal.Log
	follower               *follower      // nil likewise
	shared                 journal.Shared // nil where nobody else appends to it
	durable                bool           // facts outlive the server
	working                atomic.Int64   // requests
	receptions, deliveries *transfers
	stopping               atomic.Bool

	writing    sync.Mutex // held by who replaces the current snapshot
	endFitting func()     // ends the fit that goes on beside the requests, if any
}

// New makes a service. Close ends it and its engine.
func New(ctx context.Context, options Options) (*Service, error) {
	s := &Service{options: options, limits: options.Limits.withDefaults(), log: options.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.limits.Cache > 0 {
		s.cache = lacuna.NewCache(s.limits.Cache)
	}
	s.receptions, s.deliveries = newReceptions(s.limits.Requests), newDeliveries(s.limits.Requests)
	s.metrics = newMetrics()
	options.indexing.safely = s.safely
	s.snapshots.names = newIndexer(options.indexing)
	first, err := s.snapshots.derive(ctx, s.remembering(options.Engine), s.keep(options.Facts), nil)
	if err != nil {
		return nil, err
	}
	first.prepared = options.Questions
	s.snapshots.replace(first)
	s.queries = limit.NewPool(memory.Limit() / 4)
	s.cores = newCores(runtime.GOMAXPROCS(0), s.limits.Queue)
	s.predict, s.exact = newLane(s.limits, &s.metrics.predict, s.log, s.answer), newLane(s.limits, &s.metrics.exact, s.log, s.answer)
	// Two places, of which a client has one: nobody waits for what takes long and is another's.
	s.explains, s.predicts, s.likely = newGate(2, 1, s.limits.Queue), newGate(2, 1, s.limits.Queue), newGate(2, 1, s.limits.Queue)
	s.joins = newGate(4, 2, s.limits.Queue)
	s.uploads = newGate(2, 1, waitingUploads)
	s.large, s.bodies = newGate(2, 1, s.limits.Queue), newRates(bodyRate)
	s.follower = s.follow()
	s.writer = newWriter(s)
	s.metrics.watch(s)
	s.endFitting = s.calibrate()
	return s, nil
}

// keep takes the log of facts, and gives the entry of it that the graph stands at: facts that last go on from the version that they had.
func (s *Service) keep(facts *journal.Opened) journal.Position {
	s.options.Facts = nil // what was read of it is not needed any more
	if facts == nil {
		s.journal = unkept{}
		return journal.Position{}
	}
	s.journal, s.shared, s.durable = facts.Log, facts.Shared, true
	return facts.At
}

// calibrate fits the probabilities of links beside the requests; questions that need them wait for it.
func (s *Service) calibrate() (end func()) {
	at, done := s.snapshots.use()
	if at.engine.Model().Predictor == nil || !s.options.Calibrate {
		done()
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer done()
		fit := func() error { _, err := at.engine.LinkMap(ctx); return err }
		if err := s.safely("the fit of probabilities", fit); err != nil && ctx.Err() == nil {
			s.log.Error("probabilities were not fitted to the graph", "error", err)
		}
	}()
	return func() { cancel(); <-ended }
}

// remembering is an engine with the service's cache.
func (s *Service) remembering(e *lacuna.Engine) *lacuna.Engine {
	if s.cache == nil {
		return e
	}
	return e.WithCache(s.cache)
}

// Close waits for what was accepted, then ends the service; the engine ends with
// the last request that uses it. No request may follow.
func (s *Service) Close() {
	s.writer.close()
	s.follower.close()
	s.writing.Lock()
	defer s.writing.Unlock()
	s.endFitting()
	s.predict.close()
	s.exact.close()
	s.snapshots.replace(nil)
	s.snapshots.names.end()
}

// Use gives the engine as it is now and the version of its graph, for what the
// service has no method for. The engine stays open until done is called.
func (s *Service) Use() (engine *lacuna.Engine, version uint64, done func()) {
	at, done := s.snapshots.use()
	return at.engine, at.version, done
}

// Info says what is served.
type Info struct {
	Graph     GraphInfo   `json:"graph"`
	Model     *ModelInfo  `json:"model"` // null without one
	Limits    LimitsInfo  `json:"limits"`
	Questions []Prepared  `json:"questions"`
	Truth     bool        `json:"truth"`     // answers are marked as right or wrong
	Durable   bool        `json:"durable"`   // added facts outlive the server
	ReadOnly  bool        `json:"read_only"` // facts cannot be changed
	Prefixes  []kg.Prefix `json:"prefixes"`  // that SPARQL need not declare
	Explain   bool        `json:"explain"`   // predictions can be explained
	Upload    bool        `json:"upload"`    // another graph can be brought as a file
}

// GraphInfo describes the graph as it is now.
type GraphInfo struct {
	Name      string `json:"name"`
	Entities  int    `json:"entities"`
	Relations int    `json:"relations"`
	Triples   int    `json:"triples"`
	Version   uint64 `json:"version"` // rises with every change of facts
}

// ModelInfo describes the model.
type ModelInfo struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	TrainedOn  string `json:"trained_on"`
	Width      int    `json:"width"`
	Layers     int    `json:"layers"`
	Steps      int    `json:"steps"`
	Foundation bool   `json:"foundation"` // fits any graph
}

// LimitsInfo is Limits with its times in milliseconds.
type LimitsInfo struct {
	Limits
	TimeMS int64 `json:"time_ms"`
}

// published is a name as clients see it: of a file without the folders that it is in, which are nobody else's business.
func published(name string) string {
	if strings.ContainsAny(name, `/\`) && !strings.Contains(name, "://") {
		return fileName(name)
	}
	return name
}

// Info describes the service, with questions to begin with: those of the graph's own are looked for at the first call, which takes seconds on a large one.
func (s *Service) Info() Info {
	at, done := s.snapshots.use()
	defer done()
	info := s.summary(at)
	info.Questions = at.questions()
	return info
}

// Summary is Info without questions.
func (s *Service) Summary() Info {
	at, done := s.snapshots.use()
	defer done()
	return s.summary(at)
}

func (s *Service) summary(at *snapshot) Info {
	g := at.engine.Graph
	info := Info{
		Graph:  GraphInfo{published(at.engine.Name), g.NumEntities(), g.Relations.Names.Len(), g.NumTriples(), at.version},
		Limits: LimitsInfo{s.limits, s.limits.Time.Milliseconds()},
		Upload: s.options.Open != nil, Truth: at.engine.Truth != nil, Durable: s.durable, ReadOnly: s.options.ReadOnly, Prefixes: sparql.Prefixes(g),
	}
	if model := at.engine.Model(); model.Predictor != nil {
		info.Explain = true
		info.Model = &ModelInfo{
			Name: published(model.Name), Kind: model.Config.Kind, TrainedOn: published(model.Graph.Name),
			Width: model.Config.Width, Layers: model.Config.Layers, Steps: model.Step, Foundation: model.Config.AnyGraph(),
		}
	}
	return info
}
