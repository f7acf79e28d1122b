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
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

// record is where a run stands, besides the numbers on the device. It is stored in the state as JSON.
type record struct {
	Config    Config   `json:"config"`
	Queries   string   `json:"queries"` // fingerprint of the source
	Step      int      `json:"step"`    // steps done
	Validated int      `json:"validated"`
	Best      Score    `json:"best"`
	BestStep  int      `json:"best_step"` // 0: none was validated
	Interval  interval `json:"interval"`
	Loss      float64  `json:"loss"` // mean of the last full interval
	Seconds   float64  `json:"seconds"`
}

// SavedConfig is the configuration that the run in a folder began with, for a caller that resumes it.
func SavedConfig(dir string) (Config, error) {
	var r record
	_, text, err := checkpoint.ReadState(filepath.Join(dir, checkpoint.StateFile))
	if err != nil {
		return r.Config, missingState(dir, err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r.Config, kg.Errorf(kg.Invalid, dir, "the record of the run: %v", err)
	}
	return r.Config, nil
}

func missingState(dir string, err error) error {
	if kg.KindOf(err) == kg.NotFound {
		return kg.Errorf(kg.NotFound, dir, "the folder holds no run to resume: expected %s", checkpoint.StateFile)
	}
	return err
}

// open begins a run, or takes up the one in the folder.
func open(ctx context.Context, o Options) (*trainer, error) {
	queries, err := fingerprint(o.Queries)
	if err != nil {
		return nil, err
	}
	topology, err := exec.Topology(o.Graph)
	if err != nil {
		return nil, err
	}
	t := &trainer{Options: o, topology: topology, record: record{Config: o.Config, Queries: queries}}
	t.clock = clock{began: time.Now(), saved: time.Now()}
	t.feed = &feed{source: o.Queries, dropout: newDropout(topology, o.Config.Dropout, o.Config.Seed), size: o.Config.Batch}
	if o.Resume {
		err = t.resume(ctx)
	} else {
		err = t.begin(ctx)
	}
	if err == nil {
		err = checkpoint.Sweep(o.Dir, checkpoint.BestFile, checkpoint.LastFile, checkpoint.StateFile, TraceFile, CurveFile)
	}
	if ctx.Err() != nil {
		err = kg.Errorf(kg.Cancelled, o.Dir, "stopped before the first step: %v", context.Cause(ctx))
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// begin makes a new model and saves it at once, so that even an early kill leaves one.
func (t *trainer) begin(ctx context.Context) error {
	if err := os.MkdirAll(t.Dir, 0o777); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(t.Dir, checkpoint.StateFile)); !errors.Is(err, fs.ErrNotExist) {
		return kg.Errorf(kg.Invalid, t.Dir, "the folder holds a run already: resume it or choose another folder")
	}
	m, err := gnn.New(t.Device, t.Config.Model, t.Options.Graph.NumRelations(), t.Config.Seed)
	if err != nil {
		return err
	}
	if err := t.learn(ctx, m, m.NewSlab(), m.NewSlab()); err != nil {
		return err
	}
	if t.trace, err = openTrace(t.Dir, 0); err != nil {
		return err
	}
	return t.save()
}

// resume goes on where the state of the folder stands.
func (t *trainer) resume(ctx context.Context) error {
	s, err := checkpoint.LoadState(filepath.Join(t.Dir, checkpoint.StateFile), t.Device)
	if err != nil {
		return missingState(t.Dir, err)
	}
	var began record
	if err := json.Unmarshal(s.Record, &began); err != nil {
		s.Close()
		return kg.Errorf(kg.Invalid, t.Dir, "the record of the run: %v", err)
	}
	if err := t.checkResume(s.Card, began); err != nil {
		s.Close()
		return err
	}
	if err := t.learn(ctx, s.Model, s.First, s.Second); err != nil {
		return err
	}
	t.record, t.record.Config = began, t.Config
	t.clock.before = began.Seconds
	if began.BestStep == 0 { // a run that ended without validation left its last model as the best
		if err := os.Remove(filepath.Join(t.Dir, checkpoint.BestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	t.trace, err = openTrace(t.Dir, began.Step)
	return err
}

// checkResume refuses to go on with something else than was begun.
func (t *trainer) checkResume(card checkpoint.Card, began record) error {
	if err := card.CheckGraph(t.Options.Graph.Vocabulary, t.GraphName); err != nil {
		return err
	}
	if facts := t.Options.Graph.NumTriples(); facts != card.Graph.Facts {
		return kg.Errorf(kg.Invalid, t.Dir, "the run began on a graph of %d facts, this one has %d", card.Graph.Facts, facts)
	}
	if what := t.Config.differs(began.Config); what != "" {
		return kg.Errorf(kg.Invalid, t.Dir, "the run cannot be resumed with another configuration: %s", what)
	}
	if began.Queries != t.record.Queries {
		return kg.Errorf(kg.Invalid, t.Dir, "the run began with other queries than these")
	}
	return nil
}

func (t *trainer) learn(ctx context.Context, m *gnn.Model, first, second gnn.Slab) error {
	if t.Limits != nil {
		m.Limits = *t.Limits
	}
	g, err := m.NewGraph(ctx, t.topology)
	if err == nil {
		t.learner, err = newLearner(t.Config, m, g, first, second)
	}
	if err != nil {
		(&checkpoint.State{Model: m, First: first, Second: second}).Close()
	}
	return err
}

// save writes the model as it is, then the state. A kill between the two does no harm: the
// state stands for itself, and a resumed run writes the model again.
func (t *trainer) save() error {
	began := time.Now()
	if err := t.saveModel(checkpoint.LastFile, t.record.Step, nil); err != nil {
		return err
	}
	t.record.Seconds = t.seconds()
	text, err := json.Marshal(t.record)
	if err != nil {
		return err
	}
	state := checkpoint.State{Card: t.card(t.record.Step, nil), Record: text, Model: t.model, First: t.first, Second: t.second}
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
	metrics := maps.Clone(t.record.Best.Details)
	if t.record.BestStep > 0 {
		if metrics == nil {
			metrics = map[string]float64{}
		}
		metrics["valid_mrr"] = t.record.Best.MRR
	}
	return t.saveModel(checkpoint.BestFile, t.record.Step, metrics)
}

func (t *trainer) saveModel(name string, step int, metrics map[string]float64) error {
	return checkpoint.Save(filepath.Join(t.Dir, name), t.model, t.card(step, metrics), checkpoint.F32)
}

func (t *trainer) card(step int, metrics map[string]float64) checkpoint.Card {
	config, _ := json.Marshal(t.Config) // plain numbers and strings
	return checkpoint.Card{
		Config: t.Config.Model, Graph: checkpoint.Describe(t.Options.Graph, t.GraphName), Seed: t.Config.Seed, Step: step,
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
