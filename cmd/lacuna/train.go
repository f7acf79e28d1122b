package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/ranks"
	"github.com/lacuna-kg/lacuna/train"
)

// trainFlags says what is trained on what.
type trainFlags struct {
	graph    command.GraphFlags // how graphs are read
	device   command.DeviceFlags
	ranks    command.RankFlags
	training lacuna.Training
	lists    []string // of graphs
	without  []string
	output   string
	validate int

	config       string
	settings     []string
	steps, batch int
	seed         uint64
	cut          int
}

func (a *app) trainCommand() *cobra.Command {
	var flags trainFlags
	cmd := &cobra.Command{
		Use:   "train [-g GRAPH | -d DIR]… -o DIR",
		Short: "Train a model that predicts the missing links of a graph",
		Long: `Train a graph neural network as relation projection, end to end on queries. They are
drawn from the graph as training goes (-g), or come from a folder of queries (-d).
The model that does best on the graph's validation facts is kept, that of --from among them: it is
measured before the first step. Of a graph that holds out none a tenth is taken out, 2,000 at most.
A foundation model (of kind ultra or alternating) takes several graphs: repeat -g or -d,
or name many by --graphs. Those of --choose are not trained on and choose the best model.

The folder then holds best.safetensors and last.safetensors, which ask and eval take,
the optimiser's state, a trace (a JSON object a line) and a curve as SVG. Stop at any
time by Ctrl-C, or by --max-time; --resume goes on as if there had been no stop.

Started by mpirun or srun, all ranks train one model, each on its share of every batch and
on a GPU of its own; the result is that of one rank up to rounding.

Configurations, or a JSON file of your own:
` + command.Listed(configs.Names()),
		Example: `  lacuna train -g films.tsv -o films-model
  lacuna train -g UMLS -o umls-model --max-time 10m
  lacuna train -d fb15k-237-queries --config fb15k-237 -o fb237 --max-time 8h
  lacuna train -d fb15k-237-queries --config fb15k-237 -o fb237 --resume
  lacuna train -d fb15k-237-queries --config fb15k-237 --set traversal_dropout=0.5 -o half
  lacuna train -g WN18RR -g CoDEx-M -g NELL-995 --config foundation-links -o links
  lacuna train --graphs public --without UMLS --choose ICEWS14 --config foundation-alternating -o f
  mpirun -n 4 lacuna train -d fb15k-237-queries --config fb15k-237 -o fb237
  lacuna train -g films.tsv --from foundation -o films-model --max-time 10m`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g or the queries by -d, the folder by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Together(cmd.Context(), flags.ranks, &flags.device, func(team *ranks.Team) error {
				flags.training.Team = team
				return a.train(cmd, &flags)
			})
		},
	}
	flags.register(cmd)
	command.First(cmd, "graph", "data", "output", "from", "config", "set", "steps", "max-time", "resume", "validate", "seed", "read", "device")
	return cmd
}

func (f *trainFlags) register(cmd *cobra.Command) {
	f.graph.RegisterRead(cmd)
	f.device.Register(cmd)
	f.ranks.Register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.training.Graphs, "graph", "g", nil, "`graph` to train on: a file, a folder, a snapshot, or - for standard input; repeat it for several (default: the built-in graph)")
	flags.StringArrayVar(&f.lists, "graphs", nil, "many graphs: a `folder` of their folders, or a file that lists their paths, one per line")
	flags.StringSliceVar(&f.without, "without", nil, "`names` of graphs in --graphs to leave out")
	flags.StringArrayVar(&f.training.Choose, "choose", nil, "`graph` whose validation facts choose the best model; it is not trained on")
	flags.StringArrayVarP(&f.training.Queries, "data", "d", nil, "`folder` of queries to train on, instead of drawing them; repeat it for several")
	flags.StringVarP(&f.output, "output", "o", "", "`folder` to write (required)")
	flags.StringVar(&f.training.From, "from", "", "`model` to start from: foundation, a checkpoint or a training folder")
	flags.StringVar(&f.config, "config", "", "`configuration`: a name or a JSON file (default: default, or fine-tune with --from)")
	flags.StringArrayVar(&f.settings, "set", nil, "change a `setting=value` of the configuration, such as traversal_dropout=0.5; can be repeated")
	flags.IntVar(&f.steps, "steps", 0, "steps (default: the configuration's)")
	flags.IntVar(&f.batch, "batch", 0, "queries per step (default: the configuration's)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed (default: the configuration's)")
	flags.IntVar(&f.validate, "validate", lacuna.DefaultValidate, "validation queries per shape and graph, 0 for no validation")
	flags.IntVar(&f.training.ValidateTrain, "validate-train", 0, "training queries per shape and graph to measure as well, as train_mrr")
	flags.DurationVar(&f.training.MaxTime, "max-time", 0, "stop after this time, such as 10m")
	flags.IntVar(&f.cut, "cut", 0, fmt.Sprintf("train each query on the N entities around its start, -1 for the whole graph (default: %s if the graph has more than %s, else the whole graph)",
		count.Number(neural.DefaultCut), count.Number(neural.CutAbove)))
	flags.BoolVar(&f.training.Resume, "resume", false, "continue the run in the folder")
	command.CompleteFlag(cmd, "config", configs.Names()...)
}

func (a *app) train(cmd *cobra.Command, flags *trainFlags) error {
	if flags.output == "" {
		return kg.Errorf(kg.Invalid, "", "train: -o DIR is needed, the folder to write")
	}
	command.CollectOften()
	config, err := flags.readConfig(cmd)
	if err != nil {
		return err
	}
	device, err := flags.device.Open(a.App)
	if err != nil {
		return err
	}
	training := &flags.training
	if err := a.ShowDevices(cmd.Context(), training.Team, device); err != nil {
		return err
	}
	training.Config, training.Device, training.Validate = &config, device, flags.validate
	training.Unvalidated = flags.validate <= 0
	training.Version, training.Commit = command.Version(), command.Commit()
	if err := a.readAs(cmd, flags); err != nil {
		return err
	}
	bar := a.Progress("training")
	training.Observe = func(event train.Event) {
		switch event := event.(type) {
		case train.Begun:
			a.RemarkSlow(flags.output, event.Options.Network().Config, device)
		case train.Progress:
			a.showTraining(bar, event)
		default:
			a.remarkTraining(event)
		}
	}
	result, err := lacuna.Train(cmd.Context(), flags.output, *training)
	bar.Done()
	if err != nil && result.Reason == "" || !training.Team.Leads() {
		return err
	}
	return a.showTrained(flags.output, result)
}

// readAs has sources read by the flags. A Query2Box folder may need its graph by -g.
func (a *app) readAs(cmd *cobra.Command, flags *trainFlags) error {
	t := &flags.training
	if err := flags.listGraphs(); err != nil {
		return err
	}
	if len(t.Queries) > 0 {
		if len(t.Graphs) > 1 || len(t.Graphs) == 1 && len(t.Queries) > 1 {
			return kg.Errorf(kg.Invalid, "", "train: -g beside -d names the graph of one folder of queries; give either several -g or several -d")
		}
		flags.graph.Source = strings.Join(t.Graphs, "")
		t.Graphs = nil
	}
	t.OpenQueries = func(_ context.Context, dir string) (*dataset.Set, error) { return a.OpenSet(cmd, &flags.graph, dir) }
	t.Open = func(ctx context.Context, source string) (*kg.Splits, error) {
		graph := flags.graph
		graph.Source = source
		return graph.Open(ctx, a.App)
	}
	return nil
}

// remarkTraining says what training does otherwise than one may expect.
func (a *app) remarkTraining(event train.Event) {
	switch e := event.(type) {
	case train.HeldOut:
		a.Remark("%s has no validation facts: %s facts are held out to measure the model (--validate 0 trains on all)", e.Graph, count.Number(e.Facts))
	case train.Unmeasured:
		a.Remark("no facts are held out for validation, and there are too few to take some out: nothing tells whether the model learns anything, and the last step's is kept")
	case train.Missing:
		a.Remark("%s yields no queries of the shapes %s; training goes on without", e.Graph, strings.Join(e.Shapes, ", "))
	case train.HidesPairs:
		a.Remark("%s holds out facts between entities that nothing else joins: with a fact all between its two is hidden (--set hide_pairs=false leaves it)", e.Graph)
	}
}

// listGraphs adds the graphs of lists. Names to leave out are looked for in all lists together.
func (f *trainFlags) listGraphs() error {
	if len(f.lists) == 0 && len(f.without) > 0 {
		return kg.Errorf(kg.Invalid, "", "train: --without leaves out graphs of --graphs, which is not given")
	}
	listed, err := read.Lists(f.lists, f.without)
	f.training.Graphs = append(f.training.Graphs, listed...)
	return err
}

func (a *app) showTraining(bar *command.Progress, p train.Progress) {
	if p.Score != nil && !a.Quiet {
		bar.Done()
		fmt.Fprintf(a.Stderr, "step %s: validation MRR %.4f\n", count.Number(p.Step), p.Score.MRR)
		return
	}
	bar.Update(int64(p.Step), int64(p.Steps), fmt.Sprintf("step %s, loss %.4f, %.0f queries/s", count.Number(p.Step), p.Loss, p.QueriesPerSecond))
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
	Start            *train.Score `json:"start,omitempty"` // of the model it began with, on the same queries
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
		Output: dir, Model: model, Reason: r.Reason, Step: r.Step, Loss: r.Loss, Best: r.Best, BestStep: r.BestStep, Start: r.Start,
		Seconds: (s.Training + s.Validating + s.Saving).Seconds(),
	}
	if s.Training > 0 {
		report.QueriesPerSecond = float64(s.Queries) / s.Training.Seconds()
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	a.Screen.Printf("%s: %s at step %s, loss %.4f, %.0f queries/s, %v\n", model, r.Reason, count.Number(r.Step), r.Loss,
		report.QueriesPerSecond, time.Duration(report.Seconds*float64(time.Second)).Round(time.Second))
	a.showGain(r)
	if r.Reason != train.Finished {
		a.Screen.Printf("go on by: lacuna train … -o %s --resume\n", dir)
	}
	return nil
}

// showGain says what the model was before and after, on facts that it was not trained on.
func (a *app) showGain(r train.Result) {
	switch {
	case r.Start == nil && r.BestStep > 0:
		a.Screen.Printf("best validation MRR %.4f at step %s\n", r.Best.MRR, count.Number(r.BestStep))
	case r.Start != nil && r.BestStep > 0:
		a.Screen.Printf("validation MRR %.4f before, %.4f after (%+.4f), best at step %s\n", r.Start.MRR, r.Best.MRR, r.Best.MRR-r.Start.MRR, count.Number(r.BestStep))
	case r.Start != nil:
		a.Screen.Printf("validation MRR %.4f before, and no step did better: the model that it began with is kept\n", r.Start.MRR)
	}
}
