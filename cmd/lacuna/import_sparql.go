package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg/endpoint"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// endpointFlags names a SPARQL endpoint to import.
type endpointFlags struct {
	address string
	opts    endpoint.Options
}

func (f *endpointFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.address, "sparql", "", "`address` of a SPARQL endpoint to copy; run it again to continue")
	flags.StringVar(&f.opts.Graph, "sparql-graph", "", "IRI of the endpoint's graph to import (default: its default graph)")
	flags.IntVar(&f.opts.PageSize, "page", 0, "rows per request to a server (default: 10000, more if it is quick)")
}

// fetch copies the endpoint, as a file that is then read as any other.
func (f *endpointFlags) fetch(ctx context.Context, a *app, graph *command.GraphFlags, folder string, pageSize int) error {
	bar := a.Progress("copying " + f.address)
	defer bar.Done()
	opts := f.opts
	opts.PageSize = pageSize
	opts.Progress = func(done, total int64) { bar.Update(done, total, "") }
	opts.Waiting = a.waiting(bar)
	path, report, err := endpoint.Copy(ctx, f.address, folder, opts)
	if err != nil {
		a.brokenOff(folder, facts, report.Facts)
		return err
	}
	a.showEndpointReport(report)
	graph.Source, graph.Format, graph.Read.Format = path, "nt", read.NTriples
	return nil
}

// waiting says that a server is asked again, and why, at once: a pause is silent otherwise.
func (a *app) waiting(bar *command.Progress) func(why error, pause time.Duration) {
	return func(why error, pause time.Duration) {
		bar.Done()
		a.Remark("%v; trying again in %v", why, pause)
	}
}

func facts(n int64) string { return count.Of(n, "fact") }

// brokenOff says where a copy that ended early goes on. One that nothing came of leaves nothing behind.
func (a *app) brokenOff(folder string, of func(int64) string, given int64) {
	if given > 0 {
		a.Remark("%s so far in %s; the same command goes on from there", of(given), folder)
		return
	}
	files, _ := os.ReadDir(folder)
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Size() > 0 {
			return // of an earlier run
		}
	}
	os.RemoveAll(folder)
}

// showEndpointReport says what a copy lacks or may have wrong.
func (a *app) showEndpointReport(r endpoint.Report) {
	if r.Resumed > 0 {
		a.Remark("%s from an earlier run", count.Of(r.Resumed, "fact"))
	}
	if r.Short > 0 {
		a.Remark("the endpoint counts %s more than it gave", count.Of(r.Short, "fact"))
	}
	if r.BlankNodes > 0 {
		a.Remark("blank nodes in %s, which an endpoint may call otherwise on every page", count.Of(r.BlankNodes, "fact"))
	}
	if r.Refused > 0 {
		a.Remark("%s left out, no statement of RDF", count.Of(r.Refused, "row"))
	}
}
