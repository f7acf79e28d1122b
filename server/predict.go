package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/lacuna-kg/lacuna/coverage"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// PredictRequest asks for whole relations: a relation filled, the likeliest missing facts, or probabilities of triples.
type PredictRequest struct {
	Relation string    `json:"relation,omitempty" doc:"the relation to fill, R^-1 for its inverse; with missing, the only one to look at"`
	Entities []string  `json:"entities,omitempty" doc:"to predict from; default: all that the relation is stated of, and those like them"`
	Lacking  bool      `json:"lacking,omitempty" doc:"only for entities of which nothing is stated, with the best prediction of each unless least is given; the header Lacuna-Summary says how many were asked, and why not others"`
	Top      int       `json:"top,omitempty" doc:"predictions of each entity; default 10"`
	Least    float32   `json:"least,omitempty" doc:"least probability of a prediction; default 0.01"`
	Coverage float64   `json:"coverage,omitempty" doc:"with a relation: as many predictions of each entity as it takes to have the right one with this frequency, such as 0.9"`
	Missing  int       `json:"missing,omitempty" doc:"instead, so many of the likeliest missing facts"`
	Score    []kg.Fact `json:"score,omitempty" doc:"instead, a probability for each of these"`
	Why      bool      `json:"why,omitempty" doc:"add the stated facts that speak for each prediction"`
	Literals bool      `json:"literals,omitempty" doc:"predict numbers and dates, too"`
}

// Defaults of a PredictRequest, and the most that one may ask for.
const (
	defaultPredictions = 10
	defaultLeast       = 0.01
	maxPredictions     = 1000
	maxMissing         = 10000
	defaultAudited     = 300
	maxAudited         = 5000
	defaultDoubts      = 20
)

func (r PredictRequest) check(limits Limits) error {
	ways := 0
	for _, wanted := range []bool{r.Relation != "" && r.Missing == 0, r.Missing != 0, len(r.Score) > 0} {
		if wanted {
			ways++
		}
	}
	switch {
	case ways != 1:
		return invalid("expected a relation to fill, or missing, or score")
	case r.Top < 0 || r.Top > maxPredictions:
		return invalid("top %d, expected up to %d", r.Top, maxPredictions)
	case r.Missing < 0 || r.Missing > maxMissing:
		return invalid("missing %d, expected up to %d", r.Missing, maxMissing)
	case r.Coverage != 0 && (coverage.Check(r.Coverage) != nil || r.Missing != 0 || len(r.Score) > 0):
		return invalid("coverage %v, expected a frequency above 0 and below 1, and a relation to fill", r.Coverage)
	case !(r.Least >= 0 && r.Least <= 1):
		return invalid("least %v, expected a probability", r.Least)
	case len(r.Score) > limits.Facts || len(r.Entities) > limits.Facts:
		return tooLarge("%d entities and %d triples in one request, the limit is %d of each", len(r.Entities), len(r.Score), limits.Facts)
	}
	return nil
}

// Predict hands facts to use as they are found. Whole relations take many runs of the model, so
// that a client gets one at a time, and has no place while it uses what was found: who reads slowly waits alone.
func (s *Service) Predict(ctx context.Context, request PredictRequest, use func([]gaps.Line) error) error {
	if err := request.check(s.limits); err != nil {
		return err
	}
	at, done := s.snapshots.use()
	defer done()
	finder, err := at.gaps()
	if err != nil {
		return err
	}
	g := at.engine.Graph
	run, err := request.prepare(finder, g)
	if err != nil {
		return err
	}
	leave, err := s.predicts.enter(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	defer func() { leave() }()
	shift, err := s.cores.begin(ctx, false)
	if err != nil {
		return err
	}
	defer shift.end()
	return run(s.cores.resting(pace.With(ctx, shift.rest)), gaps.Options{Why: request.Why, Literals: request.Literals}, func(facts []gaps.Fact) (err error) {
		lines := make([]gaps.Line, len(facts))
		for i, f := range facts {
			lines[i] = gaps.NewLine(g, f)
		}
		shift.aside(func() {
			leave()
			if err = use(lines); err != nil {
				return
			}
			again, failed := s.predicts.enterAgain(ctx, time.Since(began))
			if err = failed; err == nil {
				leave = again
			}
		})
		return err
	})
}

// predictRun is a request whose names were found.
type predictRun func(ctx context.Context, o gaps.Options, use func([]gaps.Fact) error) error

func (r PredictRequest) prepare(finder *gaps.Finder, g *kg.Graph) (predictRun, error) {
	var relations []kg.Relation
	if r.Relation != "" {
		relation, err := query.FindRelation(r.Relation, g.Vocabulary)
		if err != nil {
			return nil, err
		}
		relations = []kg.Relation{relation}
	}
	switch {
	case len(r.Score) > 0:
		wanted, err := findFacts(g, r.Score)
		return func(ctx context.Context, o gaps.Options, use func([]gaps.Fact) error) error {
			return finder.Score(ctx, wanted, o, use)
		}, err
	case r.Missing > 0:
		return func(ctx context.Context, o gaps.Options, use func([]gaps.Fact) error) error {
			found, err := finder.Missing(ctx, gaps.Missing{Relations: relations, Most: r.Missing}, o)
			if err != nil {
				return err
			}
			return use(found.Facts)
		}, nil
	}
	prediction, err := r.prediction(g, relations[0])
	return func(ctx context.Context, o gaps.Options, use func([]gaps.Fact) error) error {
		return finder.Predict(ctx, prediction, o, use)
	}, err
}

func (r PredictRequest) prediction(g *kg.Graph, relation kg.Relation) (gaps.Prediction, error) {
	p := gaps.Prediction{Column: gaps.Column{Relation: relation, Lacking: r.Lacking}, Top: r.Top, Least: r.Least, Coverage: r.Coverage}
	if p.Top == 0 {
		p.Top = defaultPredictions
	}
	if p.Least == 0 {
		p.Least, p.First = defaultLeast, r.Lacking
	}
	for _, name := range r.Entities {
		e, err := query.FindEntity(name, g.Vocabulary)
		if err != nil {
			return p, err
		}
		p.Heads = append(p.Heads, e)
	}
	return p, nil
}

// findFacts finds the names of triples.
func findFacts(g *kg.Graph, facts []kg.Fact) ([]kg.Triple, error) {
	triples := make([]kg.Triple, len(facts))
	for i, f := range facts {
		var err error
		t := &triples[i]
		if t.Head, err = query.FindEntity(f.Head, g.Vocabulary); err != nil {
			return nil, err
		}
		if t.Relation, err = query.FindRelation(f.Relation, g.Vocabulary); err != nil {
			return nil, err
		}
		if t.Tail, err = query.FindEntity(f.Tail, g.Vocabulary); err != nil {
			return nil, err
		}
	}
	return triples, nil
}

// streamPredictions answers with a line of JSON for each fact, as they come: there is no limit on the
// time, as the client sees that it goes on, and an end of the client ends it. An error after the first line is a line of its own.
func streamPredictions(s *Service, w http.ResponseWriter, r *http.Request) {
	var request PredictRequest
	if err := s.decode(r, &request); err != nil {
		s.reply(w, nil, err)
		return
	}
	began, encoder := false, json.NewEncoder(w)
	control := untimed(w)
	encoder.SetEscapeHTML(false)
	// Each time something is written, the client has time to read it: one that reads nothing is given up.
	begin := func() {
		_ = control.SetWriteDeadline(time.Now().Add(s.limits.Time))
		if !began {
			began = true
			w.Header().Set("Content-Type", "application/x-ndjson")
		}
	}
	if asked := s.asked(request); asked != "" {
		w.Header().Set("Lacuna-Summary", asked)
	}
	err := s.Predict(r.Context(), request, func(lines []gaps.Line) error {
		begin()
		for _, l := range lines {
			if err := encoder.Encode(l); err != nil {
				return err
			}
		}
		return control.Flush()
	})
	switch {
	case err == nil:
		begin() // also where nothing was found, and long after the last line
	case !began:
		s.reply(w, nil, err)
	case r.Context().Err() == nil:
		s.log.Error("a stream of predictions failed", "error", err)
		begin()
		_ = encoder.Encode(map[string]any{"error": errorOf(err)})
	}
}

// asked is JSON that says of how many entities a request for those that lack a value asks, and why not of others; "" where there is nothing to say.
func (s *Service) asked(request PredictRequest) string {
	if !request.Lacking || request.Relation == "" || request.check(s.limits) != nil {
		return ""
	}
	at, done := s.snapshots.use()
	defer done()
	finder, err := at.gaps()
	if err != nil {
		return ""
	}
	relation, err := query.FindRelation(request.Relation, at.engine.Graph.Vocabulary)
	if err != nil {
		return ""
	}
	p, err := request.prediction(at.engine.Graph, relation)
	if err != nil {
		return ""
	}
	text, err := json.Marshal(finder.Asked(p.Column))
	if err != nil {
		return ""
	}
	return string(text)
}

// untimed lifts the connection's time limits for a request that takes long. Reading has one, too: when it is
// over, the request ends, though its body was read long ago.
func untimed(w http.ResponseWriter) *http.ResponseController {
	control := http.NewResponseController(w)
	// Where the connection has no limits there are none to lift.
	_, _ = control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})
	return control
}

// AuditRequest asks for the facts that the rest of the graph speaks against.
type AuditRequest struct {
	Relation string `json:"relation,omitempty" doc:"only its facts"`
	Facts    int    `json:"facts,omitempty" doc:"to look at, drawn at random; default 300"`
	Limit    int    `json:"limit,omitempty" doc:"facts to list; default 20"`
	Seed     uint64 `json:"seed,omitempty" doc:"of the draw"`
}

// AuditResponse is the list, and how far it is to be trusted.
type AuditResponse struct {
	Facts   int         `json:"facts"`             // looked at
	Skipped int         `json:"skipped,omitempty"` // well supported, to save time
	Alone   int         `json:"alone,omitempty"`   // have an end without another fact, so that nobody can judge them
	Trial   gaps.Trial  `json:"trial"`
	List    []gaps.Line `json:"list"`
}

// Audit looks at stated facts as if they were not.
func (s *Service) Audit(ctx context.Context, request AuditRequest) (*AuditResponse, error) {
	if request.Facts < 0 || request.Facts > maxAudited || request.Limit < 0 || request.Limit > maxAudited {
		return nil, invalid("%d facts to look at and %d to list, expected up to %d", request.Facts, request.Limit, maxAudited)
	}
	at, done := s.snapshots.use()
	defer done()
	finder, err := at.gaps()
	if err != nil {
		return nil, err
	}
	of := gaps.Audit{Facts: request.Facts, Seed: request.Seed}
	if of.Facts == 0 {
		of.Facts = defaultAudited
	}
	if request.Relation != "" {
		r, err := query.FindRelation(request.Relation, at.engine.Graph.Vocabulary)
		if err != nil {
			return nil, err
		}
		of.Relations = []kg.Relation{kg.Forward(r.Base())}
	}
	leave, err := s.predicts.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var response *AuditResponse
	err = s.cores.runModel(ctx, func(ctx context.Context) (err error) {
		response, err = audit(ctx, finder, at.engine.Graph, of, request.Limit)
		return err
	})
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	return response, err
}

func audit(ctx context.Context, finder *gaps.Finder, g *kg.Graph, of gaps.Audit, limit int) (*AuditResponse, error) {
	if limit == 0 {
		limit = defaultDoubts
	}
	of.List = limit
	found, err := finder.Audit(ctx, of, gaps.Options{})
	if err != nil {
		return nil, err
	}
	response := &AuditResponse{found.Facts, found.Skipped, found.Alone, found.Trial, []gaps.Line{}}
	for _, d := range found.List {
		response.List = append(response.List, gaps.NewDoubtLine(g, d))
	}
	return response, nil
}
