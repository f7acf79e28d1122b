package lacuna

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/ranks"
	"github.com/lacuna-kg/lacuna/train"
	"github.com/lacuna-kg/lacuna/train/prepare"
)

// Training says what a model is trained on and how. The zero value trains a new model of
// the default configuration on the embedded graph.
type Training struct {
	// Graphs are sources as Open takes them; queries are drawn from them as training goes.
	// A foundation model takes several. Queries are folders of queries to train on instead.
	Graphs, Queries []string
	// Choose are sources of graphs that are not trained on: the model that does best on what they hold out, or on facts
	// hidden from them, is kept, whatever it does on those trained on.
	Choose []string
	From   string        // a model to start from, its network with its parameters
	Config *train.Config // nil for that of a resumed run, for fine-tuning with From, or the default
	Device kernel.Device // nil for the best there is
	// Validate is the number of validation queries of each shape and graph, 0 for DefaultValidate; Unvalidated
	// is for none. ValidateTrain is the same of training queries, 0 for none, which show how far the model learns
	// them by heart.
	Validate, ValidateTrain int
	Unvalidated             bool
	// Team, if given, trains together, all ranks with the same settings but for the device; rank 0 measures the model
	// and writes the folder.
	Team            *ranks.Team
	Resume          bool          // go on with the run in the folder
	MaxTime         time.Duration // stop cleanly after that; 0: none
	Version, Commit string        // of the program, for the model's card

	Observe func(train.Event) // is told what happens; may be nil
	// Open and OpenQueries read sources otherwise than Read and dataset.Open do; may be nil.
	Open        func(ctx context.Context, source string) (*kg.Splits, error)
	OpenQueries func(ctx context.Context, dir string) (*dataset.Set, error)
}

// DefaultValidate is how many validation queries of each shape and graph measure a model.
const DefaultValidate = 100

// Train trains a model into a folder, which is then a Model for Open. The model that does best on validation facts is
// kept, that which training began with (From) among them; a graph that holds out none has some taken out for it. It may be stopped by its
// context at any time, and resumed as if there had been no stop.
func Train(ctx context.Context, dir string, t Training) (train.Result, error) {
	if t.Observe == nil {
		t.Observe = func(train.Event) {}
	}
	run := training{Training: t, options: train.Options{
		Dir: dir, Resume: t.Resume, MaxTime: t.MaxTime, Version: t.Version, Commit: t.Commit, Team: t.Team,
		Progress: func(p train.Progress) { t.Observe(p) },
	}}
	defer run.close()
	err := t.Team.TakeTime(ctx, func(ctx context.Context) error {
		if err := run.begin(); err != nil {
			return err
		}
		return run.openGraphs(ctx)
	})
	if err != nil {
		return train.Result{}, err
	}
	t.Observe(train.Begun{Options: run.options})
	return train.Run(ctx, run.options)
}

// training is a training on its way: what train.Run takes, and what is open for it.
type training struct {
	Training
	options train.Options
	opened  []func()
}

// close gives back what was opened, the last first.
func (t *training) close() {
	for i := len(t.opened) - 1; i >= 0; i-- {
		t.opened[i]()
	}
}

func (t *training) closeLater(close func() error) {
	t.opened = append(t.opened, func() { close() })
}

// begin chooses configuration, device and start, and checks what can be checked before graphs are read.
func (t *training) begin() (err error) {
	if t.options.Config, err = t.config(); err != nil {
		return err
	}
	if t.options.Device = t.Device; t.Device == nil {
		if t.options.Device, err = neural.OpenDevice(neural.DeviceOptions{}); err != nil {
			return err
		}
		t.closeLater(t.options.Device.Close)
	}
	if t.From != "" {
		if t.options.Start, err = neural.OpenModel(t.From, t.options.Device); err != nil {
			return err
		}
		t.opened = append(t.opened, t.options.Start.Close)
	}
	if err := t.options.CheckNetwork(max(len(t.Graphs), len(t.Queries)) + len(t.Choose)); err != nil {
		return err
	}
	return t.checkQueries()
}

// config is the configuration that was given, or the one that suits.
func (t *training) config() (train.Config, error) {
	if t.Config != nil {
		return *t.Config, t.Config.Check()
	}
	resumed := ""
	if t.Resume {
		resumed = t.options.Dir
	}
	text, name, err := prepare.ConfigText("", resumed, t.From != "")
	if err != nil {
		return train.Config{}, err
	}
	return train.ParseConfig(text, name)
}

// checkQueries refuses what stored queries, or those drawn without end, do not have.
func (t *training) checkQueries() error {
	parts, fraction := t.options.Config.Parts, t.options.Config.TrainFraction
	switch stored := len(t.Queries) > 0; {
	case stored && len(t.Graphs) > 0:
		return kg.Errorf(kg.Invalid, "train", "both graphs to draw queries from and stored queries: expected one of the two")
	case stored && len(t.Choose) > 0:
		return kg.Errorf(kg.Invalid, "train", "graphs to choose the model on need graphs to draw queries from, not stored queries")
	case stored && parts > 0:
		return kg.Errorf(kg.Invalid, "", "parts is %d: parts are cut out of graphs, stored queries have none; parts=0 trains without", parts)
	case !stored && fraction != 1:
		return kg.Errorf(kg.Invalid, "", "train_fraction is %v: a part can be taken of stored queries only, not of those drawn without end", fraction)
	}
	return nil
}

// openGraphs opens the graphs with their training queries and validation queries.
func (t *training) openGraphs(ctx context.Context) error {
	err := t.addGraphs(ctx)
	isMeasured := slices.ContainsFunc(t.options.Graphs, func(g train.Graph) bool { return g.Validate != nil })
	if err == nil && !isMeasured && t.options.Config.Validations > 0 && t.validate() > 0 {
		t.Observe(train.Unmeasured{})
	}
	return err
}

func (t *training) addGraphs(ctx context.Context) (err error) {
	how := t.preparation()
	for i, name := range sourceNames(t.Queries) {
		if err := t.addStored(ctx, how, name, t.Queries[i]); err != nil {
			return err
		}
	}
	if len(t.Queries) > 0 {
		return nil
	}
	graphs := t.Graphs
	if len(graphs) == 0 {
		graphs = []string{""}
	}
	for i, name := range sourceNames(graphs) {
		if err := t.addDrawn(ctx, how, name, graphs[i]); err != nil {
			return err
		}
	}
	if t.options.Graphs, err = how.WithParts(ctx, t.options.Graphs); err != nil {
		return err
	}
	if t.options.Graphs, err = how.WithThinParts(ctx, t.options.Graphs); err != nil {
		return err
	}
	if t.options.Graphs, err = how.WithWorlds(ctx, t.options.Graphs); err != nil {
		return err
	}
	return t.addChosen(ctx)
}

// addChosen adds the graphs that the model is only chosen on.
func (t *training) addChosen(ctx context.Context) error {
	how := t.preparation()
	how.Validate, how.Several = t.validate(), true
	for i, name := range sourceNames(t.Choose) {
		splits, err := t.open(ctx, t.Choose[i])
		if err != nil {
			return err
		}
		g, err := how.Chosen(ctx, name, splits)
		if g.Facts != nil && g.Facts != splits.Train {
			t.closeLater(g.Facts.Close)
		}
		if err != nil {
			return err
		}
		t.options.Graphs = append(t.options.Graphs, g)
	}
	return nil
}

func (t *training) preparation() prepare.Options {
	validate := t.validate()
	if len(t.Choose) > 0 {
		validate = 0 // only those chosen on count
	}
	return prepare.Options{
		Config: t.options.Config, Device: t.options.Device, Dir: t.options.Dir, Several: len(t.Graphs) > 1,
		Validate: validate, ValidateTrain: t.ValidateTrain, Team: t.Team,
	}
}

// validate is the number of validation queries of each shape and graph.
func (t *training) validate() int {
	if t.Unvalidated {
		return 0
	}
	return cmp.Or(t.Validate, DefaultValidate)
}

// addStored trains on the queries of a folder.
func (t *training) addStored(ctx context.Context, how prepare.Options, name, dir string) error {
	open := t.OpenQueries
	if open == nil {
		open = func(ctx context.Context, dir string) (*dataset.Set, error) {
			return dataset.Open(ctx, dir, dataset.Options{})
		}
	}
	set, err := open(ctx, dir)
	if err != nil {
		return err
	}
	t.closeLater(set.Close)
	g, err := how.Stored(ctx, name, set)
	t.add(g)
	return err
}

// addDrawn draws training queries from a graph as they are needed.
func (t *training) addDrawn(ctx context.Context, how prepare.Options, name, source string) error {
	splits, err := t.open(ctx, source)
	if err != nil {
		return err
	}
	g, missing, err := how.Drawn(ctx, name, splits)
	if g.Facts != nil && g.Facts != splits.Train {
		t.closeLater(g.Facts.Close)
		t.Observe(train.HeldOut{Graph: name, Facts: splits.Train.NumTriples() - g.Facts.NumTriples()})
	}
	if len(missing) > 0 {
		t.Observe(train.Missing{Graph: name, Shapes: missing})
	}
	t.add(g)
	return err
}

func (t *training) add(g train.Graph) {
	if g.MissedApart {
		t.Observe(train.HidesPairs{Graph: g.Name})
	}
	t.options.Graphs = append(t.options.Graphs, g)
}

// open reads a graph, which is closed in the end.
func (t *training) open(ctx context.Context, source string) (splits *kg.Splits, err error) {
	if t.Open != nil {
		splits, err = t.Open(ctx, source)
	} else {
		splits, err = Read(ctx, source, Reading{})
	}
	if err == nil {
		t.closeLater(splits.Close)
	}
	return splits, err
}

// sourceNames calls sources by the last part of their paths, or by the whole where two end alike.
func sourceNames(paths []string) []string {
	names, seen := make([]string, len(paths)), map[string]int{}
	for i, path := range paths {
		names[i] = filepath.Base(filepath.Clean(path))
		seen[names[i]]++
	}
	for i, path := range paths {
		switch {
		case path == "":
			names[i] = SourceName("")
		case seen[names[i]] > 1:
			names[i] = path
		}
	}
	return names
}
