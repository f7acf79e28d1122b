package train

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

// record is where a run stands, besides the numbers on the device. It is stored in the state as JSON.
type record struct {
	Config    Config   `json:"config"`
	From      string   `json:"from,omitempty"`  // the model it began with
	Queries   string   `json:"queries"`         // fingerprints of the sources
	Step      int      `json:"step"`            // steps done
	Validated int      `json:"validated"`       // the step of the last validation
	Last      *Score   `json:"last,omitempty"`  // what it found
	Start     *Score   `json:"start,omitempty"` // of the model it began with, measured before the first step
	Best      Score    `json:"best"`
	BestStep  int      `json:"best_step"` // 0: the model it began with, or none where that was not measured
	Interval  interval `json:"interval"`
	Loss      float64  `json:"loss"` // mean of the last full interval
	Seconds   float64  `json:"seconds"`
}

// measured tells whether there is a best model.
func (r record) measured() bool { return r.BestStep > 0 || r.Start != nil }

// lastMetrics are those of the model as it is, where it has been validated.
func (r record) lastMetrics() map[string]float64 {
	if r.Last == nil || r.Validated != r.Step {
		return nil
	}
	return r.Last.metrics()
}

// metrics are for the card of a model that scored so.
func (s Score) metrics() map[string]float64 {
	metrics := map[string]float64{"valid_mrr": s.MRR}
	maps.Copy(metrics, s.Details)
	return metrics
}

// loss is that of the last full interval or, before the first has ended, of the steps so far.
func (r record) loss() float64 {
	if r.Loss == 0 && r.Interval.Steps > 0 {
		return r.Interval.mean()
	}
	return r.Loss
}

// SavedConfig is the configuration that the run in a folder began with, for a caller that resumes it.
func SavedConfig(dir string) (Config, error) {
	r, err := savedRecord(dir)
	return r.Config, err
}

func savedRecord(dir string) (record, error) {
	_, text, err := checkpoint.ReadState(filepath.Join(dir, checkpoint.StateFile))
	if err != nil {
		return record{}, missingState(dir, err)
	}
	return parseRecord(text, dir)
}

// parseRecord reads a record. What an older program did not know of is as in Default.
func parseRecord(text []byte, dir string) (record, error) {
	r := record{Config: Default()}
	r.Config.Shapes = nil
	if err := json.Unmarshal(text, &r); err != nil {
		return r, kg.Errorf(kg.Invalid, dir, "the record of the run: %v", err)
	}
	return r, nil
}

func missingState(dir string, err error) error {
	if kg.KindOf(err) == kg.NotFound {
		return kg.Errorf(kg.NotFound, dir, "the folder holds no run to resume: expected %s", checkpoint.StateFile)
	}
	return err
}

// open begins a run, or takes up the one in the folder.
func open(ctx context.Context, o Options) (*trainer, error) {
	queries, err := fingerprints(o.Graphs)
	if err != nil {
		return nil, err
	}
	topologies, err := topologies(o.Graphs, o.Config)
	if err != nil {
		return nil, err
	}
	t := &trainer{Options: o, topologies: topologies, described: describe(o.Graphs), record: record{Config: o.Config, Queries: queries}}
	t.clock = clock{began: time.Now(), saved: time.Now()}
	t.feed = newFeed(o.Config, o.Graphs, topologies, o.Team)
	err = t.join(ctx, t.takeUp(ctx))
	if ctx.Err() != nil {
		err = kg.Errorf(kg.Cancelled, o.Dir, "stopped before the first step: %v", context.Cause(ctx))
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// takeUp makes the state of the run, which only rank 0 of a team does by the folder.
func (t *trainer) takeUp(ctx context.Context) (err error) {
	switch {
	case !t.Team.Leads():
		return t.follow(ctx)
	case t.Resume:
		err = t.resume(ctx)
	default:
		err = t.begin(ctx)
	}
	if err != nil {
		return err
	}
	return checkpoint.Sweep(t.Dir, checkpoint.BestFile, checkpoint.LastFile, checkpoint.StateFile, traceFile, curveFile)
}

// begin makes a new model and saves it at once, so that even an early kill leaves one.
func (t *trainer) begin(ctx context.Context) error {
	if err := os.MkdirAll(t.Dir, 0o777); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(t.Dir, checkpoint.StateFile)); !errors.Is(err, fs.ErrNotExist) {
		return kg.Errorf(kg.Invalid, t.Dir, "the folder holds a run already: resume it or choose another folder")
	}
	if _, err := os.Stat(filepath.Join(t.Dir, checkpoint.BestFile)); !errors.Is(err, fs.ErrNotExist) { // of a run whose state is gone
		return kg.Errorf(kg.Invalid, t.Dir, "the folder holds a model, %s, which would be overwritten: choose another folder", checkpoint.BestFile)
	}
	m, err := t.firstModel()
	if err != nil {
		return err
	}
	state := &checkpoint.State{Model: m, First: m.NewSlab(), Second: m.NewSlab()}
	if t.Config.Average > 0 {
		state.Average = m.NewSlab()
		t.Device.Copy(state.Average.Values, m.Parameters.Values)
	}
	if err := t.learn(ctx, state); err != nil {
		return err
	}
	if t.trace, err = openTrace(t.Dir, 0); err != nil {
		return err
	}
	return t.save()
}

// firstModel has fresh parameters, or those of the model to start with.
func (t *trainer) firstModel() (*gnn.Model, error) {
	facts := t.Graphs[0].Facts
	if t.Start != nil {
		if err := t.Start.Card.CheckRelations(facts.Vocabulary, t.Graphs[0].Name); err != nil {
			return nil, err
		}
		t.record.From = t.Start.Name
	}
	m, err := t.Config.Model.New(t.Device, facts.NumRelations(), t.Config.Seed)
	if err == nil && t.Start != nil {
		t.Device.Copy(m.Parameters.Values, t.Start.Network.Parameters.Values)
	}
	return m, err
}

// resume goes on where the state of the folder stands.
func (t *trainer) resume(ctx context.Context) error {
	s, err := checkpoint.LoadState(filepath.Join(t.Dir, checkpoint.StateFile), t.Device)
	if err != nil {
		return missingState(t.Dir, err)
	}
	began, err := parseRecord(s.Record, t.Dir)
	if err == nil {
		err = t.checkResume(s.Card, began)
	}
	if err != nil {
		s.Close()
		return err
	}
	if err := t.learn(ctx, s); err != nil {
		return err
	}
	t.record, t.record.Config = began, t.Config
	t.clock.before = began.Seconds
	if !began.measured() { // a run that ended without validation left its last model as the best
		if err := os.Remove(filepath.Join(t.Dir, checkpoint.BestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	t.trace, err = openTrace(t.Dir, began.Step)
	return err
}

// checkResume refuses to go on with something else than was begun.
func (t *trainer) checkResume(card checkpoint.Card, began record) error {
	ours := t.described
	if len(t.Graphs) == 1 {
		if err := card.CheckGraph(t.Graphs[0].Facts.Vocabulary, t.Graphs[0].Name); err != nil {
			return err
		}
	}
	if ours.Vocabulary != card.Graph.Vocabulary {
		return kg.Errorf(kg.Invalid, t.Dir, "the run began on other graphs (%s) than these (%s), or they came in another order", card.Graph.Name, ours.Name)
	}
	if ours.Facts != card.Graph.Facts {
		return kg.Errorf(kg.Invalid, t.Dir, "the run began on a graph of %d facts, this one has %d", card.Graph.Facts, ours.Facts)
	}
	if what := t.Config.differs(began.Config); what != "" {
		return kg.Errorf(kg.Invalid, t.Dir, "the run cannot be resumed with another configuration: %s", what)
	}
	if began.Queries != t.record.Queries {
		return kg.Errorf(kg.Invalid, t.Dir, "the run began with other queries than these")
	}
	return nil
}

// learn puts the graphs on the device and takes over the state.
func (t *trainer) learn(ctx context.Context, state *checkpoint.State) error {
	m := state.Model
	m.KeepRelationGraph = t.Config.FixedRelationGraph
	if t.Limits != nil {
		m.Limits = *t.Limits
	}
	var graphs []place
	var err error
	for i, g := range t.Graphs {
		var p place
		if p, err = putOn(ctx, m, t.Config, g.Facts, t.topologies[i]); err != nil {
			break
		}
		graphs = append(graphs, p)
	}
	if err == nil {
		t.learner, err = newLearner(t.Config, state, graphs)
	}
	if err == nil {
		t.learner.team = t.Team
	}
	if err != nil {
		for _, p := range graphs {
			p.free()
		}
		state.Close()
	}
	return err
}

// save writes the model as it is (its average, where there is one), then the state. A kill between the two does no harm: the
// state stands for itself, and a resumed run writes the model again.
func (t *trainer) save() error {
	began := time.Now()
	if err := t.saveModel(checkpoint.LastFile, t.record.Step, t.record.lastMetrics()); err != nil {
		return err
	}
	t.record.Seconds = t.seconds()
	text, err := json.Marshal(t.record)
	if err != nil {
		return err
	}
	state := checkpoint.State{Card: t.card(t.record.Step, nil), Record: text, Model: t.model, First: t.first, Second: t.second, Average: t.average.Slab}
	if err := state.Save(filepath.Join(t.Dir, checkpoint.StateFile)); err != nil {
		return err
	}
	t.clock.saved = time.Now()
	t.stats.Saving += time.Since(began)
	return nil
}

// saveBest writes the model as the best so far. It comes before the state that knows
// of it: after a kill between the two the resumed run validates again and writes the same.
func (t *trainer) saveBest() error {
	var metrics map[string]float64
	if t.record.measured() {
		metrics = t.record.Best.metrics()
	}
	return t.saveModel(checkpoint.BestFile, t.record.Step, metrics)
}

func (t *trainer) saveModel(name string, step int, metrics map[string]float64) error {
	restore := t.average.swap(t.model)
	defer restore()
	return checkpoint.Save(filepath.Join(t.Dir, name), t.model, t.card(step, metrics), checkpoint.Single)
}

func (t *trainer) card(step int, metrics map[string]float64) checkpoint.Card {
	config, _ := json.Marshal(t.Config) // plain numbers and strings
	return checkpoint.Card{
		Config: t.Config.Model, Graph: t.described, Seed: t.Config.Seed, Step: step, From: t.record.From,
		Version: t.Version, Commit: t.Commit, Device: t.Device.Name(), Training: config, Metrics: metrics,
	}
}

func (t *trainer) close() {
	if t.trace != nil {
		t.trace.close()
	}
	if t.learner != nil {
		t.learner.close()
	}
}
