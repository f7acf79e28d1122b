package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/partition"
)

// partitionFlags are those of links as Parquet partitions.
type partitionFlags struct {
	number    int
	completed bool
	wanted    bool // any of them was given
}

func (f *partitionFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.number, "partitions", 0, "write a folder of so many Parquet files, by the name of the head")
	cmd.Flags().BoolVar(&f.completed, "completed", false, "with --partitions: the completed graph, every stated fact once and what is predicted (default: rows in both directions)")
}

func (f *partitionFlags) check(cmd *cobra.Command) error {
	f.wanted = cmd.Flags().Changed("partitions")
	if f.wanted {
		return partition.Check(f.number)
	}
	if f.completed {
		return kg.Errorf(kg.Invalid, "", "links: --completed is of Parquet partitions, expected --partitions N")
	}
	return nil
}

// madePartitions is the JSON report.
type madePartitions struct {
	Output string `json:"output"`
	partition.Made
	Seconds float64 `json:"seconds"`
}

func (a *app) writePartitions(ctx context.Context, flags *linksFlags, engine *lacuna.Engine, start time.Time) error {
	writing, err := flags.partitioning(ctx, engine)
	if err != nil {
		return err
	}
	bar := a.Progress("making links")
	defer bar.Done()
	writing.Progress = func(done, total int) { bar.Update(int64(done), int64(total), count.Of(done, "row")) }
	made, err := partition.Write(ctx, flags.output, writing)
	bar.Done()
	if kg.KindOf(err) == kg.Cancelled {
		a.Remark("%s has the partitions that are done: the same command goes on from there", flags.output)
	}
	if err != nil || !flags.team.Leads() {
		return err
	}
	if made.Kept > 0 {
		a.Remark("%d of %s were there and are kept", made.Kept, count.Of(made.Partitions, "partition"))
	}
	report := madePartitions{flags.output, made, time.Since(start).Seconds()}
	if a.JSON {
		return a.PrintJSON(report)
	}
	a.Screen.Printf("%s: %s in %s; %s in %.1f s\n", report.Output, count.Of(made.Links, "link"), count.Of(made.Partitions, "partition"), count.Bytes(made.Bytes), report.Seconds)
	return nil
}

// partitioning is what the flags ask for.
func (f *linksFlags) partitioning(ctx context.Context, engine *lacuna.Engine) (w partition.Writing, err error) {
	p := engine.Model().Predictor
	w = partition.Writing{Number: f.partitions.number, Team: f.team, Round: f.sharing().Round}
	w.Origin = links.Origin{Graph: links.GraphHash(p.Graph), Name: p.Model.Name, Least: f.least, Top: f.top, Literals: f.literals}
	if w.Pairs, err = f.pairs(p.Graph, f.partitions.completed); err != nil {
		return w, err
	}
	if w.Origin.Model, err = p.Model.Hash(); err != nil {
		return w, err
	}
	w.Rows, err = f.rows(ctx, engine)
	w.Origin.Map = w.Rows.Map()
	return w, err
}
