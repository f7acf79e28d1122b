package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/protocol"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// sparqlFlags are those of ask that a query has too, and its own.
type sparqlFlags struct {
	askFlags
	predict bool
	results string
	file    string
	plan    bool
	without []string
	remote  remoteFlags
}

func (a *app) sparqlCommand() *cobra.Command {
	var flags sparqlFlags
	cmd := &cobra.Command{
		Use:   "sparql [QUERY]",
		Short: "Answer a query in SPARQL, exactly or with predictions",
		Long: `Answer a query in SPARQL 1.1: SELECT, ASK, CONSTRUCT and DESCRIBE with all of
its patterns, paths, functions, aggregates and named graphs. SERVICE asks the servers
that --service allows.

Names that are no IRIs stand in the namespace urn:lacuna:, which the prefix ":"
means by default: Turing Award is :Turing%20Award or <Turing%20Award>.

By default the result is what the graph states, as SPARQL defines it. --predict adds
the answers of the model, with ?probability and ?known, which filters and expressions
may use. A query that cannot be predicted is refused, and the message says where.`,
		Example: `  lacuna sparql 'SELECT ?p { ?p :Win :Turing%20Award ; :CitizenOf :Norway }'
  lacuna sparql --predict 'SELECT ?u { ?a :Field :Deep%20Learning ; :University ?u }'
  lacuna sparql --predict 'SELECT ?p { ?p :Win :Turing%20Award FILTER(!?known) }'
  lacuna sparql -g films.ttl --results csv 'PREFIX f: <http://films.org/> SELECT * { ?x f:by ?y }'
  lacuna sparql -g films.lacuna --file query.rq --results json
  lacuna sparql -g films.lacuna --file query.rq --plan`,
		Args: command.Arguments(0, 1, "one query, or --file"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sparql(cmd, &flags, args) },
	}
	flags.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&flags.predict, "predict", false, "answer with the model's predictions and their probabilities")
	command.Moved(cmd, "mode", "--predict for predictions; without it answers are exact")
	f.BoolVar(&flags.predicted, "predicted", false, "with --predict: list only answers that are missing from the graph, as FILTER(!?known) does")
	f.StringVar(&flags.results, "results", "table", "`format` of the results: table, json, xml, csv or tsv; for CONSTRUCT and DESCRIBE turtle, ntriples, rdfxml or jsonld")
	f.StringVarP(&flags.file, "file", "f", "", "`file` with the query (- for standard input)")
	f.BoolVar(&flags.plan, "plan", false, "run the query and show its plan, with estimated and actual row counts, instead of its results")
	f.StringSliceVar(&flags.without, "no-rewrite", nil, "with --plan: `rewrites` to leave out, such as push-filters")
	command.Moved(cmd, "without", "--no-rewrite")
	flags.remote.register(cmd, false)
	_ = f.MarkHidden("per-step") // of ask, and without meaning here
	command.First(cmd, "graph", "file", "predict", "predicted", "threshold", "model", "results", "plan", "with", "by", "links", "read", "device")
	command.CompleteFlag(cmd, "results", "table", "json", "xml", "csv", "tsv", "turtle", "ntriples", "rdfxml", "jsonld")
	return cmd
}

func (a *app) sparql(cmd *cobra.Command, flags *sparqlFlags, args []string) error {
	text, err := a.sparqlText(flags.file, args)
	if err != nil {
		return err
	}
	return a.showSPARQL(cmd, flags, text)
}

// askSPARQL answers a query that was asked as a question: with predictions, as questions are,
// unless the user wants no model.
func (a *app) askSPARQL(cmd *cobra.Command, flags *askFlags, text string) error {
	return a.showSPARQL(cmd, &sparqlFlags{askFlags: *flags, predict: flags.model != lacuna.Exact, results: "table"}, text)
}

// showSPARQL answers a query and prints what it gives.
func (a *app) showSPARQL(cmd *cobra.Command, flags *sparqlFlags, text string) error {
	if flags.plan || len(flags.without) > 0 {
		return a.showPlan(cmd, flags, text)
	}
	if a.JSON {
		flags.results = string(results.JSON)
	}
	format, err := results.ParseFormat(flags.results)
	if err != nil && flags.results != "table" {
		return kg.Errorf(kg.Invalid, "", "--results %s: expected table, json, xml, csv, tsv, turtle, ntriples, rdfxml or jsonld", flags.results)
	}
	found, done, err := a.runSPARQL(cmd, flags, text)
	if err != nil {
		return err
	}
	defer done()
	if found.Cut != nil {
		a.Remark("%s (--follow N)", found.Cut)
	}
	switch {
	case a.JSON && found.Graph:
		format = results.JSONLD
	case flags.results == "table" && found.Graph:
		format = results.Turtle
	case flags.results == "table":
		err = a.showSolutions(found)
	}
	if format != "" {
		err = found.Write(a.Out, format)
	}
	for _, text := range found.Warned() {
		a.Remark("%s", text)
	}
	return err
}

// sparqlText is the query of the command line or of a file.
func (a *app) sparqlText(file string, args []string) (string, error) {
	switch {
	case file == "" && len(args) == 1:
		return args[0], nil
	case file == "" || len(args) == 1:
		return "", kg.Errorf(kg.Invalid, "", "sparql: expected one query, as an argument or by --file (see lacuna sparql --help)")
	case file == "-":
		text, err := io.ReadAll(io.LimitReader(a.Stdin, syntax.MaxText+1))
		return string(text), err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", kg.ReadError(file, err)
	}
	return string(text), nil
}

func (a *app) runSPARQL(cmd *cobra.Command, flags *sparqlFlags, text string) (*results.Results, func() error, error) {
	for _, name := range []string{"threshold", "predicted", "links", "calibration"} {
		if !flags.predict && cmd.Flags().Changed(name) {
			return nil, nil, kg.Errorf(kg.Invalid, "", "--%s: only --predict has probabilities", name)
		}
	}
	options, err := flags.options(cmd)
	if err != nil {
		return nil, nil, err
	}
	if err := flags.remote.check(); err != nil {
		return nil, nil, err
	}
	options = append(options, lacuna.Predicted(flags.predicted), lacuna.Services(flags.remote.remote()))
	if !flags.predict {
		flags.model = lacuna.Exact // a model would be loaded for nothing
		options = append(options, lacuna.By(lacuna.Exact))
	}
	engine, err := a.openEngine(cmd, &flags.askFlags)
	if err != nil {
		return nil, nil, err
	}
	found, err := engine.SPARQL(cmd.Context(), text, options...)
	if err != nil {
		engine.Close()
		return nil, nil, err
	}
	return found, engine.Close, nil
}

// sparqlHandler serves SPARQL on the graph of a service, within its limits.
func sparqlHandler(service *server.Service, remote sparql.Remote, rows int) http.Handler {
	limits := service.Summary().Limits
	return &protocol.Handler{Source: served{service, remote}, Limits: sparql.Limits{Solutions: rows}, Body: limits.Body, Time: time.Duration(limits.TimeMS) * time.Millisecond}
}

// updateHandler serves SPARQL Update on the facts of a service.
func updateHandler(service *server.Service, remote sparql.Remote) http.Handler {
	update := func(ctx context.Context, u *syntax.Update) (any, error) { return service.Update(ctx, u) }
	return &protocol.UpdateHandler{Source: served{service, remote}, Update: update, Remote: remote, Body: service.Summary().Limits.Body}
}

// graphStore serves whole graphs of a service.
func graphStore(service *server.Service, rows int) http.Handler {
	update := func(ctx context.Context, u *syntax.Update) (any, error) { return service.Update(ctx, u) }
	limits := service.Summary().Limits
	store := &protocol.GraphStore{
		Source: served{service: service}, Limits: sparql.Limits{Solutions: rows}, Update: update, Path: "/graphs", Body: limits.Body, Time: time.Duration(limits.TimeMS) * time.Millisecond,
	}
	reading := service.Limited(store) // an update waits for its turn itself
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			reading.ServeHTTP(w, r)
			return
		}
		store.ServeHTTP(w, r)
	})
}

// served is a service as a source of queries.
type served struct {
	service *server.Service
	remote  sparql.Remote
}

func (s served) Dataset() (sparql.Dataset, func()) {
	engine, _, done := s.service.Use()
	data := engine.Dataset()
	data.Remote, data.Search = s.remote, s.service.Search
	return data, done
}

// showSolutions prints a table for people: names without their namespace, columns as wide as the window allows.
func (a *app) showSolutions(r *results.Results) error {
	if r.Ask {
		a.Screen.Printf("%s\n", map[bool]string{true: "yes", false: "no"}[r.Truth])
		return nil
	}
	var rows [][]string
	for terms, err := range r.Rows {
		if err != nil {
			return err
		}
		cells := make([]string, len(terms))
		for i, t := range terms {
			cells[i] = readable(t, r.Vars[i])
		}
		rows = append(rows, cells)
	}
	widths := a.columnWidths(r.Vars, rows)
	a.printRow(r.Vars, widths, a.Screen.Bold)
	for _, cells := range rows {
		a.printRow(cells, widths, func(text string) string { return text })
	}
	solutions := count.Of(len(rows), "solution")
	a.Screen.Printf("%s\n", a.Screen.Dim(solutions))
	return nil
}

// readable is a term for people: a name of the graph as the graph has it.
func readable(t term.Term, column string) string {
	switch {
	case t.Kind == term.Unbound:
		return ""
	case t.Kind == term.IRI:
		return t.PlainName()
	case column == predict.ProbabilityVar || column == predict.ExpectedVar:
		var p float64
		fmt.Sscan(t.Value, &p)
		return fmt.Sprintf("%.2f", p)
	case t.Kind == term.Literal:
		return strings.Join(strings.Fields(t.Value), " ")
	}
	return t.String()
}

// columnWidths shares the window among the columns: none gets more than it needs, the widest are cut first.
func (a *app) columnWidths(head []string, rows [][]string) []int {
	const gap, least = 2, 8
	widths := make([]int, len(head))
	total := 0
	for i := range head {
		widths[i] = utf8.RuneCountInString(head[i])
		for _, cells := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
		total += widths[i] + gap
	}
	for a.Screen.Terminal && total > a.Screen.Width {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= least {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

func (a *app) printRow(cells []string, widths []int, style func(string) string) {
	parts := make([]string, len(cells))
	for i, cell := range cells {
		if parts[i] = style(command.Clip(cell, widths[i])); i < len(cells)-1 {
			parts[i] = style(command.Pad(command.Clip(cell, widths[i]), widths[i]))
		}
	}
	a.Screen.Printf("%s\n", strings.TrimRight(strings.Join(parts, "  "), " "))
}
