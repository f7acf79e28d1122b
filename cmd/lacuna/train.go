package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/train"
)

// trainFlags says what is trained on what.
type trainFlags struct {
	graph    graphFlags
	device   deviceFlags
	data     string
	config   string
	validate int
	opts     train.Options

	steps, batch int
	seed         uint64
}

func (a *app) trainCommand() *cobra.Command {
	var flags trainFlags
	cmd := &cobra.Command{
		Use:   "train [-g GRAPH | -d DIR] -o DIR",
		Short: "Train a model that predicts the missing links of a graph",
		Long: `Train a graph neural network as relation projection, end to end on queries. They are
drawn from the graph as training goes (-g), or come from a folder of queries (-d).
Where the graph holds out validation facts, the model that does best on them is kept.

The folder then holds best.safetensors and last.safetensors, which ask and eval take,
the optimiser's state, a trace (a JSON object a line) and a curve as SVG. Stop at any
time by Ctrl-C, or by --max-time; --resume goes on as if there had been no stop.

Configurations: ` + strings.Join(configs.Names(), ", ") + `, or a JSON file of your own.`,
		Example: `  lacuna train -g films.tsv -o films-model
  lacuna train -g UMLS -o umls-model --max-time 10m
  lacuna train -d fb15k-237-queries --config fb15k-237 -o fb237 --max-time 8h
  lacuna train -d fb15k-237-queries --config fb15k-237 -o fb237 --resume`,
		Args: arguments(0, 0, "no argument (name the graph by -g or the queries by -d, the folder by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.train(cmd, &flags) },
	}
	flags.graph.register(cmd)
	flags.device.register(cmd)
	f := cmd.Flags()
	f.StringVarP(&flags.data, "data", "d", "", "folder of queries to train on, instead of drawing them")
	f.StringVarP(&flags.opts.Dir, "output", "o", "", "the folder to write (required)")
	f.StringVar(&flags.config, "config", configs.Default, "a configuration by name, or a JSON file")
	f.IntVar(&flags.steps, "steps", 0, "steps, instead of the configuration's")
	f.IntVar(&flags.batch, "batch", 0, "queries in a step, instead of the configuration's")
	f.Uint64Var(&flags.seed, "seed", 0, "seed, instead of the configuration's")
	f.IntVar(&flags.validate, "validate", 100, "validation queries of each shape; 0 for no validation")
	f.DurationVar(&flags.opts.MaxTime, "max-time", 0, "stop cleanly after this time, such as 10m")
	f.BoolVar(&flags.opts.Resume, "resume", false, "go on with the run in the folder")
	completeFlag(cmd, "config", configs.Names()...)
	return cmd
}

func (a *app) train(cmd *cobra.Command, flags *trainFlags) error {
	if flags.opts.Dir == "" {
		return kg.Errorf(kg.Invalid, "", "train: -o DIR is needed, the folder to write")
	}
	// Buffers are large and hold no pointers: collecting often is cheap and keeps the peak low.
	debug.SetGCPercent(25)
	opts, ctx := &flags.opts, cmd.Context()
	var err error
	if opts.Config, err = flags.readConfig(cmd); err != nil {
		return err
	}
	if opts.Device, err = flags.device.open(a); err != nil {
		return err
	}
	release, err := a.prepareQueries(cmd, flags)
	if err != nil {
		return err
	}
	defer release()
	opts.Version, opts.Commit = version(), commit()
	bar := a.progress("training")
	opts.Progress = func(p train.Progress) { a.showTraining(bar, p) }
	result, err := train.Run(ctx, *opts)
	bar.done()
	if err != nil && result.Reason == "" {
		return err
	}
	return a.showTrained(opts.Dir, result)
}

// readConfig reads the configuration and lets the flags override it.
func (f *trainFlags) readConfig(cmd *cobra.Command) (train.Config, error) {
	data, err := configs.Read(f.config)
	if strings.HasSuffix(f.config, ".json") {
		if data, err = os.ReadFile(f.config); err != nil {
			err = kg.Errorf(kg.NotFound, "", "%v", err)
		}
	}
	if err != nil {
		return train.Config{}, err
	}
	config, err := train.ParseConfig(data, f.config)
	if err != nil {
		return config, err
	}
	if f.steps != 0 {
		config.Steps = f.steps
	}
	if f.batch != 0 {
		config.Batch = f.batch
	}
	if cmd.Flags().Changed("seed") {
		config.Seed = f.seed
	}
	return config, config.Check()
}

// prepareQueries opens the graph, the training queries and the validation queries.
func (a *app) prepareQueries(cmd *cobra.Command, flags *trainFlags) (release func(), err error) {
	if flags.data != "" {
		return a.storedQueries(cmd, flags)
	}
	return a.drawnQueries(cmd, flags)
}

// storedQueries trains on the queries of a folder.
func (a *app) storedQueries(cmd *cobra.Command, flags *trainFlags) (func(), error) {
	set, err := a.openSet(cmd, &flags.graph, flags.data)
	if err != nil {
		return nil, err
	}
	opts := &flags.opts
	opts.Graph, opts.GraphName = set.Graph.Train, filepath.Base(filepath.Clean(flags.data))
	stored, err := train.Load(cmd.Context(), set, opts.Config.ShapeNames(), opts.Config.Seed)
	if err != nil {
		set.Close()
		return nil, err
	}
	opts.Queries = stored
	if slices.Contains(set.Splits(), dataset.Valid) && flags.validate > 0 {
		err = flags.validateBy(cmd.Context(), set)
	}
	return func() { set.Close() }, err
}

// drawnQueries draws training queries from a graph as they are needed.
func (a *app) drawnQueries(cmd *cobra.Command, flags *trainFlags) (func(), error) {
	splits, err := flags.graph.open(cmd.Context(), a)
	if err != nil {
		return nil, err
	}
	opts := &flags.opts
	opts.Graph, opts.GraphName = splits.Train, flags.graph.name()
	if opts.Queries, err = a.drawer(cmd.Context(), splits, opts.Config); err != nil {
		return nil, err
	}
	if len(splits.Valid) == 0 || opts.Config.Validations == 0 || flags.validate == 0 {
		return func() { splits.Close() }, nil
	}
	set, err := flags.drawValidation(cmd.Context(), splits)
	if err == nil {
		err = flags.validateBy(cmd.Context(), set)
	}
	return func() { splits.Close() }, err
}

// drawer draws the shapes of the configuration, less those that the graph cannot yield.
func (a *app) drawer(ctx context.Context, splits *kg.Splits, config train.Config) (*sample.Drawer, error) {
	try := sample.Options{Seed: config.Seed, Counts: map[dataset.Split][]sample.Count{}, Patience: 1 << 16, SkipEmpty: true}
	for _, shape := range config.ShapeNames() {
		try.Counts[dataset.Train] = append(try.Counts[dataset.Train], sample.Count{Shape: shape, Queries: 1})
	}
	outcomes, err := sample.Run(ctx, splits, try, func(dataset.Split, string, dataset.Query) error { return nil })
	if err != nil {
		return nil, err
	}
	var counts []sample.Count
	var missing []string
	for i, outcome := range outcomes {
		shape := try.Counts[dataset.Train][i].Shape
		if outcome.Found > 0 {
			counts = append(counts, sample.Count{Shape: shape, Queries: config.Shapes[shape]})
		} else {
			missing = append(missing, shape)
		}
	}
	if len(missing) > 0 && !a.quiet {
		fmt.Fprintf(a.stderr, "lacuna: the graph yields no queries of the shapes %s; training goes on without\n", strings.Join(missing, ", "))
	}
	return sample.NewDrawer(splits.Train, counts, config.Seed)
}

// validationFolder holds the validation queries that training drew itself.
const validationFolder = "validation"

// drawValidation draws validation queries into the training folder, once: a resumed run is judged by the same.
func (f *trainFlags) drawValidation(ctx context.Context, splits *kg.Splits) (*dataset.Set, error) {
	dir := filepath.Join(f.opts.Dir, validationFolder)
	if _, err := os.Stat(dir); err != nil {
		counts := make([]sample.Count, len(query.Shapes))
		for i, shape := range query.Shapes {
			counts[i] = sample.Count{Shape: shape, Queries: f.validate}
		}
		draw := sample.Options{Seed: f.opts.Config.Seed, Counts: map[dataset.Split][]sample.Count{dataset.Valid: counts}, Patience: 1 << 16, SkipEmpty: true, Source: f.opts.GraphName}
		if _, err := sample.WriteFolder(ctx, splits, dir, draw); err != nil {
			return nil, err
		}
	}
	return dataset.Open(ctx, dir, dataset.Options{})
}

// validateBy judges the model by validation queries of a set.
func (f *trainFlags) validateBy(ctx context.Context, set *dataset.Set) error {
	logic, err := fuzzy.ParseLogic(f.opts.Config.Logic)
	if err != nil {
		return err
	}
	validator, err := eval.NewValidator(ctx, set, eval.ValidatorOptions{Limit: f.validate, Seed: f.opts.Config.Seed, Logic: logic})
	if err != nil {
		return err
	}
	f.opts.Validate = func(ctx context.Context, m *gnn.Model, g kernel.DeviceGraph) (train.Score, error) {
		v, err := validator.Validate(ctx, m, g)
		return train.Score{MRR: v.MRR, Details: v.Details}, err
	}
	return nil
}

func (a *app) showTraining(bar *progress, p train.Progress) {
	if p.Score != nil && !a.quiet {
		bar.done()
		fmt.Fprintf(a.stderr, "step %s: validation MRR %.4f\n", thousands(p.Step), p.Score.MRR)
		return
	}
	bar.update(int64(p.Step), int64(p.Steps), fmt.Sprintf("step %s, loss %.4f, %.0f queries/s", thousands(p.Step), p.Loss, p.QueriesPerSecond))
}

// trained is the JSON report of a training.
type trained struct {
	Output           string       `json:"output"`
	Model            string       `json:"model"`
	Reason           train.Reason `json:"reason"`
	Step             int          `json:"step"`
	Loss             float64      `json:"loss"`
	Best             train.Score  `json:"best"`
	BestStep         int          `json:"best_step"`
	QueriesPerSecond float64      `json:"queries_per_second"`
	Seconds          float64      `json:"seconds"`
}

func (a *app) showTrained(dir string, r train.Result) error {
	model, err := checkpoint.Find(dir)
	if err != nil {
		return err
	}
	s := r.Stats
	report := trained{
		Output: dir, Model: model, Reason: r.Reason, Step: r.Step, Loss: r.Loss, Best: r.Best, BestStep: r.BestStep,
		Seconds: (s.Training + s.Validating + s.Saving).Seconds(),
	}
	if s.Training > 0 {
		report.QueriesPerSecond = float64(s.Queries) / s.Training.Seconds()
	}
	if a.json {
		return a.printJSON(report)
	}
	a.screen.printf("%s: %s at step %s, loss %.4f, %.0f queries/s, %v\n", model, r.Reason, thousands(r.Step), r.Loss,
		report.QueriesPerSecond, time.Duration(report.Seconds*float64(time.Second)).Round(time.Second))
	if r.BestStep > 0 {
		a.screen.printf("best validation MRR %.4f at step %s\n", r.Best.MRR, thousands(r.BestStep))
	}
	if r.Reason != train.Finished {
		a.screen.printf("go on by: lacuna train … -o %s --resume\n", dir)
	}
	return nil
}
