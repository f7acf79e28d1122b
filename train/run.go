// Package train fits a learned projection to a graph: it draws queries whose answers
// the graph states, hides some of the edges that lead to them, and moves the
// parameters so that the answers are found all the same (METHOD "Training").
//
// In the flow: queries come from package dataset or sample (queries.go), of one graph or
// of one of several and of their parts (mixture.go, parts.go), and are prepared in batches
// with their dropout (feed.go, dropout.go); a step runs one forward and back on the device (tape.go, step.go,
// schedule.go); the loop around it validates, saves and reports (loop.go, save.go,
// trace.go, curve.go). Several processes train together as one would (team.go).
//
// Everything random is a function of the seed and the number of the step, so a run that
// is resumed gives the same bits as one that was never interrupted.
package train

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/ranks"
)

// Options is what to train, on what and into which folder.
type Options struct {
	Config Config
	Device kernel.Device
	Limits *gnn.Limits // of memory; nil for the model's default
	// Graphs are what is trained on, several only for a foundation model. Where none has a
	// validator the last model counts as the best.
	Graphs []Graph
	// Start, if given, is a trained model that a new run begins with instead of random parameters. The
	// network is then its own, whatever the configuration says; Adam's moments are fresh.
	Start *neural.Model

	// Team, if given, trains together, each rank on its share of every batch. All are given the same but for the device; rank 0 alone
	// validates, reports and uses Dir.
	Team *ranks.Team

	Dir     string        // where checkpoints and traces go; made if it is missing
	Resume  bool          // go on with the run in Dir
	MaxTime time.Duration // of this call, validation at its end included as far as foreseeable; 0: none
	// SaveEvery is the time after which a kill costs no more than that; 0 means a minute.
	SaveEvery time.Duration
	// TraceEvery is the number of steps per line of the trace; 0 means 200 lines in all.
	TraceEvery int

	Version, Commit string // of the program, for the checkpoint
	// Progress, if given, is called after every step and validation by the goroutine of the caller.
	Progress func(Progress)
}

// Validator measures a model on queries that it was not trained on, on the graph of the
// training facts.
type Validator func(ctx context.Context, on Trained) (Score, error)

// Trained is a model in training on a graph.
type Trained struct {
	Model *gnn.Model
	Graph *gnn.Graph // nil where links are predicted on cuts
	Cut   int        // the entities of a cut, 0 where links are predicted on all of the graph
}

// Score is the outcome of a validation. The model of the highest MRR is kept as the best.
type Score struct {
	MRR     float64            `json:"mrr"`
	Details map[string]float64 `json:"details,omitempty"` // such as "1p_mrr"; they go into the checkpoint
}

// Progress is how far a run is.
type Progress struct {
	Step, Steps      int
	Loss             float64 // of this step
	Graph            string  // that this step was on
	QueriesPerSecond float64 // since the run began or was resumed, validation left out
	Left             time.Duration
	Score            *Score // set in a call that reports a validation
}

// Reason is why a run ended.
type Reason string

// The ways a run ends.
const (
	Finished Reason = "finished" // all steps are done
	TimeUp   Reason = "time up"  // MaxTime is over
	Stopped  Reason = "stopped"  // the context ended; Resume goes on
	Failed   Reason = ""         // the error says why
)

// Result is the outcome of a run; its models are in the folder (checkpoint.BestFile and the others).
type Result struct {
	Reason   Reason
	Step     int     // steps done, those before a resume included
	Loss     float64 // mean over the last interval of the trace, or over the steps before the first has ended
	Start    *Score  // of the model that the run began with; nil for none, or without validation
	Best     Score
	BestStep int // 0 where none did better than the start
	Stats    Stats
}

// Stats says where the time of this call went. Preparing runs beside the steps, on all
// cores; Waiting is the part of Training in which the device had no batch to work on.
type Stats struct {
	Steps, Queries                                   int
	Preparing, Waiting, Training, Validating, Saving time.Duration
}

// Run trains until the steps of the configuration are done, the time is up or the
// context ends; in each case the folder then holds a usable model. When the context
// ends, the result comes with an error of kind kg.Cancelled.
func Run(ctx context.Context, o Options) (Result, error) {
	o.Config.Model = o.Network()
	if err := o.check(); err != nil {
		return Result{}, err
	}
	var t *trainer
	err := o.Team.TakeTime(ctx, func(ctx context.Context) (err error) {
		t, err = open(ctx, o)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	defer t.close()
	return t.loop(ctx)
}

// Network is that of the configuration, or that of the model to start with, or of the run to resume, if that had one.
func (o Options) Network() gnn.Spec {
	if o.Start != nil {
		return o.Start.Network.Spec()
	}
	if began, err := savedRecord(o.Dir); o.Resume && err == nil && began.From != "" {
		return began.Config.Model
	}
	return o.Config.Model
}

// CheckNetwork refuses a network that cannot be trained on so many graphs, or on parts of one: only
// a foundation model has no parameters that belong to the relations of one graph. Run does so
// itself; who prepares graphs at length asks before.
func (o Options) CheckNetwork(graphs int) error {
	network := o.Network()
	kind := network.Kind
	switch {
	case network.AnyGraph():
		return nil
	case o.Config.Parts+o.Config.ThinParts > 0:
		return kg.Errorf(kg.Invalid, "train", "parts is %d, expected 0: the parameters of a model of kind %s belong to the relations of one graph", o.Config.Parts+o.Config.ThinParts, kind)
	case graphs > 1:
		return kg.Errorf(kg.Invalid, "train", "%d graphs for a model of kind %s, whose parameters belong to the relations of one graph: only %s and %s can be trained on several", graphs, kind, gnn.Ultra, gnn.Alternating)
	}
	return nil
}

func (o Options) check() error {
	switch {
	case o.Device == nil:
		return kg.Errorf(kg.Failure, "train", "expected a device")
	case o.Dir == "":
		return kg.Errorf(kg.Invalid, "train", "expected a folder to write to")
	case o.MaxTime < 0 || o.SaveEvery < 0 || o.TraceEvery < 0:
		return kg.Errorf(kg.Invalid, "train", "expected times and intervals of 0 or more")
	}
	if err := o.Config.Check(); err != nil {
		return err
	}
	if err := o.CheckNetwork(len(o.Graphs)); err != nil {
		return err
	}
	if err := o.checkTeam(); err != nil {
		return err
	}
	if err := checkGraphs(o.Graphs); err != nil {
		return err
	}
	return checkWeights(o.Graphs, o.Config)
}

func (o Options) saveEvery() time.Duration {
	if o.SaveEvery == 0 {
		return time.Minute
	}
	return o.SaveEvery
}

func (o Options) traceEvery() int {
	if o.TraceEvery == 0 {
		return (o.Config.Steps + 199) / 200
	}
	return o.TraceEvery
}
