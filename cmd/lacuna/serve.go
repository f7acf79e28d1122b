package main

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/internal/memory"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/journal/postgres"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/mcp"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/server/web"
	"github.com/lacuna-kg/lacuna/sparql"
)

// serveFlags are those of serve and, some of them, of mcp.
type serveFlags struct {
	graph      command.GraphFlags
	device     command.DeviceFlags
	model      string
	links      command.LinkFlags
	address    string
	demo       bool
	empty      bool
	truth      string
	facts      string
	tokenFile  string
	readFile   string // of tokens that may only read
	hosts      []string
	anyAddress bool
	readOnly   bool
	local      bool // only this machine reaches the address
	origins    []string
	limits     server.Limits
	remote     remoteFlags
	cacheMB    int64
	solutions  int
}

func (a *app) serveCommand() *cobra.Command {
	flags := serveFlags{limits: server.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a graph: a page to ask on, an HTTP API, facts that last",
		Long: `Serve a graph on one port:

  /         a page for the browser
  /api      the HTTP API, described at /api/openapi.json
  /sparql   SPARQL 1.1 Protocol; ?mode=predict for predictions
  /update   SPARQL 1.1 Update, unless --read-only
  /graphs   whole named graphs, by the Graph Store Protocol
  /mcp      tools for language models, by the Model Context Protocol
  /metrics  for Prometheus

Questions that come at the same time run together, and parts of questions that were
asked before are remembered. Facts posted to /api/facts hold at once; with --facts
DIR they are on the disk before the answer, and survive a crash; with --facts
postgres://… any number of servers on the same graph share them.

Without a token it listens on this machine only. Ctrl-C finishes what is at work.`,
		Example: `  lacuna serve --demo
  lacuna serve -g films.tsv --facts films-facts
  lacuna serve --empty --facts notes
  lacuna serve -g films.lacuna --facts postgres://lacuna@db.example/films
  lacuna serve -g FB15k-237 --truth held-out
  LACUNA_TOKEN=… lacuna serve -g films.lacuna --addr 0.0.0.0:8420
  curl --json '{"question": "?f : Directed(Fellini, f)"}' http://127.0.0.1:8420/api/ask`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), &flags) },
	}
	flags.register(cmd)
	command.First(cmd, "graph", "model", "addr", "facts", "read-only", "token-file", "demo", "empty", "truth", "timeout", "links", "read", "device")
	return cmd
}

func (f *serveFlags) register(cmd *cobra.Command) {
	f.registerService(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.address, "addr", "127.0.0.1:8420", "`address` to listen on; port 0 takes a free one")
	flags.BoolVar(&f.demo, "demo", false, "built-in graph, sample questions, answers marked right or wrong")
	flags.StringVar(&f.truth, "truth", "", "`file` of facts that mark answers right or wrong, or held-out")
	flags.StringVar(&f.tokenFile, "token-file", "", "`file` of tokens for clients, one per line (or LACUNA_TOKEN)")
	flags.StringVar(&f.readFile, "read-token-file", "", "`file` of tokens that may only read (or set LACUNA_READ_TOKEN)")
	flags.StringSliceVar(&f.hosts, "host", nil, "another `name` under which clients reach the server, as through a proxy; can be repeated")
	flags.BoolVar(&f.anyAddress, "insecure-any-address", false, "listen beyond this machine without a token")
	flags.StringSliceVar(&f.origins, "cors", nil, "`origin` whose pages may use the server, such as https://yasgui.org; * lets all pages ask, but not change facts")
	f.remote.register(cmd, true)
	flags.IntVar(&f.limits.Facts, "max-facts", f.limits.Facts, "most facts that one request may add and remove")
	flags.IntVar(&f.solutions, "max-rows", 1_000_000, "most rows of a SPARQL result, and triples of a graph that is fetched")
	flags.IntVar(&f.limits.Batch, "batch", f.limits.Batch, "most questions that run together, 1 for one at a time")
	flags.DurationVar(&f.limits.Window, "window", f.limits.Window, "how long a question waits for others to run with")
	flags.IntVar(&f.limits.Queue, "queue", f.limits.Queue, "most questions that wait; further ones are told to try again")
	flags.DurationVar(&f.limits.Time, "timeout", f.limits.Time, "longest time of a request")
	flags.DurationVar(&f.limits.Lag, "max-lag", f.limits.Lag, "facts in a database: how far the graph may be behind before /readyz fails")
	flags.DurationVar(&f.limits.CutOff, "max-cut-off", f.limits.CutOff, "facts in a database: stop after this long without a reply from it (0: wait for ever)")
	flags.Int64Var(&f.cacheMB, "cache", f.limits.Cache>>20, "memory for remembered predictions, in MB, 0 for none")
}

// registerService adds the flags of all that serve a graph, over HTTP or not.
func (f *serveFlags) registerService(cmd *cobra.Command) {
	f.graph.Register(cmd)
	f.graph.RegisterReason(cmd)
	f.device.Register(cmd)
	f.device.RegisterCut(cmd)
	command.RegisterModel(cmd, &f.model)
	f.links.Register(cmd, lacuna.Links)
	cmd.Flags().StringVar(&f.facts, "facts", "", "`folder` for changed facts, or postgres://… to share them (or LACUNA_FACTS)")
	cmd.Flags().BoolVar(&f.empty, "empty", false, "start without a graph and add facts later")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "facts cannot be changed")
}

func (a *app) serve(ctx context.Context, flags *serveFlags) error {
	guard, err := flags.check()
	if err != nil {
		return err
	}
	listener, err := server.Listen(flags.address, guard, flags.anyAddress) // first: opening a large graph for nothing would annoy
	if err != nil {
		return err
	}
	defer listener.Close()
	flags.local = server.IsLoopback(listener.Addr().String())
	service, closeAll, err := a.openService(ctx, flags)
	if err != nil {
		return err
	}
	defer closeAll()
	address := listener.Addr().String()
	if server.IsLoopback(address) {
		guard.Hosts = slices.Concat(server.LoopbackHosts, flags.hosts)
	}
	a.announce(address, guard, service.Summary())
	return service.Serve(ctx, listener, service.Handler(guard, mounts(service, flags.remote.remote(), flags.solutions)...))
}

// check puts the flags together and reads the tokens.
func (f *serveFlags) check() (guard server.Guard, err error) {
	if f.demo && f.graph.Source != "" {
		return guard, kg.Errorf(kg.Invalid, "", "--demo is on the embedded graph, expected no -g with it")
	}
	if f.demo {
		f.truth = heldOut
	}
	switch {
	case f.limits.Batch < 1:
		return guard, kg.Errorf(kg.Invalid, "", "--batch %d: expected at least 1", f.limits.Batch)
	case f.limits.Facts < 1:
		return guard, kg.Errorf(kg.Invalid, "", "--max-facts %d: expected at least 1", f.limits.Facts)
	case f.solutions < 1:
		return guard, kg.Errorf(kg.Invalid, "", "--max-rows %d: expected at least 1", f.solutions)
	case f.limits.Queue < 1:
		return guard, kg.Errorf(kg.Invalid, "", "--queue %d: expected at least 1", f.limits.Queue)
	case f.limits.Time <= 0:
		return guard, kg.Errorf(kg.Invalid, "", "--timeout %v: expected some time", f.limits.Time)
	case f.limits.Window < 0:
		return guard, kg.Errorf(kg.Invalid, "", "--window %v: expected 0 or more", f.limits.Window)
	case f.limits.Lag <= 0:
		return guard, kg.Errorf(kg.Invalid, "", "--max-lag %v: expected some time", f.limits.Lag)
	case f.limits.CutOff < 0:
		return guard, kg.Errorf(kg.Invalid, "", "--max-cut-off %v: expected 0 or more", f.limits.CutOff)
	case f.cacheMB < 0:
		return guard, kg.Errorf(kg.Invalid, "", "--cache %d: expected 0 or more", f.cacheMB)
	}
	if err := f.remote.check(); err != nil {
		return guard, err
	}
	f.limits.Cache = f.cacheMB << 20
	if f.limits.Cache == 0 {
		f.limits.Cache = -1 // the library's 0 is its default
	}
	return f.guard()
}

// guard is who may use the server.
func (f *serveFlags) guard() (guard server.Guard, err error) {
	guard = server.Guard{Origins: f.origins, WriteHosts: f.hosts}
	if guard.Tokens, err = tokens(f.tokenFile, "LACUNA_TOKEN"); err != nil {
		return guard, err
	}
	guard.ReadTokens, err = tokens(f.readFile, "LACUNA_READ_TOKEN")
	if err == nil && len(guard.ReadTokens) > 0 && len(guard.Tokens) == 0 && !f.readOnly {
		err = kg.Errorf(kg.Invalid, "", "a token that may only read, and none that may change facts: expected --token-file or LACUNA_TOKEN, too, or --read-only")
	}
	return guard, err
}

// tokens are the lines of a file or, without one, what a variable of the environment says.
func tokens(file, variable string) (list []string, err error) {
	text := os.Getenv(variable)
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, kg.ReadError(file, err)
		}
		text = string(data)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	switch {
	case len(list) > 0:
	case file != "":
		return nil, kg.Errorf(kg.Invalid, file, "an empty file, expected a token")
	case text != "":
		return nil, kg.Errorf(kg.Invalid, "", "%s is blank, expected a token", variable)
	}
	return list, nil
}

// heldOut as --truth means the facts that the graph's own folder holds out.
const heldOut = "held-out"

// openService opens graph, journal, model and truth, in this order: each works on what the one before gave.
func (a *app) openService(ctx context.Context, flags *serveFlags) (service *server.Service, closeAll func(), err error) {
	memory.Keep()
	memory.Calm(min(64<<20, memory.Limit()/16), 25)
	given := flags.facts
	if flags.facts, err = whereFacts(flags.facts); err != nil { // a mistake is one line, without a remark before it
		return nil, nil, err
	}
	if u, err := url.Parse(given); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			a.Remark("--facts: everybody on this machine can see the password there (set %s, or PGPASSWORD)", factsVariable)
		}
	}
	splits, err := flags.openGraph(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	options := server.Options{
		Limits: flags.limits, ReadOnly: flags.readOnly, Version: command.Version(), Calibrate: slices.Contains(flags.links.By, lacuna.Links),
		Remote: flags.remote.remote(),
		Log:    slog.New(slog.NewTextHandler(a.Stderr, nil)),
	}
	if flags.local {
		options.Open = a.openBrought(flags)
	}
	if flags.demo {
		options.Questions = server.DemoQuestions
	}
	graph, closeJournal := splits.Train, func() {}
	if flags.facts != "" {
		opened, err := a.openJournal(ctx, flags.facts, graph, flags.readOnly)
		if err != nil {
			graph.Close()
			return nil, nil, err
		}
		graph, options.Facts = opened.Graph, opened
		closeJournal = func() { opened.Log.Close() }
		if flags.truth != "" {
			options.Truth = func(ctx context.Context, g *kg.Graph) (*kg.Graph, error) { return a.openTruth(ctx, flags, splits, g) }
		}
	}
	if options.Engine, err = a.serveEngine(ctx, flags, splits, graph); err == nil {
		service, err = server.New(ctx, options)
	}
	if err != nil {
		if options.Engine != nil {
			options.Engine.Close()
		}
		splits.Close()
		graph.Close()
		closeJournal()
		return nil, nil, err
	}
	return service, func() { service.Close(); closeJournal() }, nil
}

// openGraph reads the graph to serve, or makes one without facts.
func (f *serveFlags) openGraph(ctx context.Context, a *app) (*kg.Splits, error) {
	if !f.empty {
		return f.graph.Open(ctx, a.App)
	}
	if f.graph.Source != "" || f.demo {
		return nil, kg.Errorf(kg.Invalid, "", "--empty begins without a graph, expected neither -g nor --demo with it")
	}
	f.graph.Source = "an empty graph" // a name, and none of the embedded graph
	return read.Stream(ctx, strings.NewReader(""), f.graph.Source, read.Options{Format: read.NTriples})
}

// openBrought puts a model on a graph that a user brings to the page. What was made of the first graph alone does not hold for it.
func (a *app) openBrought(flags *serveFlags) func(context.Context, *kg.Graph, string) (*lacuna.Engine, error) {
	return func(ctx context.Context, g *kg.Graph, name string) (*lacuna.Engine, error) {
		links := flags.links
		links.File, links.Fitted = "", ""
		by, err := links.One()
		if err != nil {
			return nil, err
		}
		model := cmp.Or(flags.model, lacuna.DefaultModel(name, links.By.Only()))
		return a.NewEngine(ctx, g, name, model, &flags.device, by, links.Options(), links.Calibrating(a.App, name, &kg.Splits{}))
	}
}

// openJournal opens a folder of facts, or a database.
func (a *app) openJournal(ctx context.Context, name string, graph *kg.Graph, readOnly bool) (opened *journal.Opened, err error) {
	if postgres.IsURL(name) {
		opened, err = postgres.Open(ctx, name, graph, postgres.Options{ReadOnly: readOnly})
	} else {
		opened, err = journal.Open(ctx, name, graph)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range opened.Remarks {
		a.Remark("%s", r)
	}
	if opened.Torn > 0 {
		a.Remark("%s: %s dropped at the end, of a change that was cut off before it was confirmed", name, count.Of(opened.Torn, "byte"))
	}
	a.remarkMerged(opened.Name, opened)
	return opened, nil
}

// serveEngine puts model and truth to the graph.
func (a *app) serveEngine(ctx context.Context, flags *serveFlags, splits *kg.Splits, graph *kg.Graph) (*lacuna.Engine, error) {
	truth, err := a.openTruth(ctx, flags, splits, graph)
	if err != nil {
		return nil, err
	}
	by, err := flags.links.One()
	if err != nil {
		return nil, err
	}
	flags.links.Rows.Bytes = max(1, flags.limits.Cache)
	engine, err := a.NewEngine(ctx, graph, flags.graph.Name(), command.ChosenModel(flags.model, &flags.graph, flags.links.By.Only()), &flags.device,
		by, flags.links.Options(), flags.links.Calibrating(a.App, flags.graph.Name(), splits))
	if err != nil {
		return nil, err
	}
	return engine.WithTruth(truth), nil
}

// openTruth builds the graph that answers are judged by: all that is stated and the facts of --truth. Nil without.
func (a *app) openTruth(ctx context.Context, flags *serveFlags, splits *kg.Splits, graph *kg.Graph) (*kg.Graph, error) {
	switch flags.truth {
	case "":
		return nil, nil
	case heldOut:
		more := slices.Concat(splits.Valid, splits.Test) // names keep their numbers when facts are added
		if len(more) == 0 {
			return nil, kg.Errorf(kg.Invalid, "", "--truth held-out: %s holds no facts out", flags.graph.Name())
		}
		return lacuna.TruthOf(ctx, graph, more)
	}
	truth, unknown, err := lacuna.ReadTruth(ctx, graph, flags.truth)
	if unknown > 0 {
		a.Remark("%s: %s ignored: their names are not in the graph", flags.truth, count.Of(unknown, "fact"))
	}
	return truth, err
}

// mounts are the faces of the service beside its API. The page is open: it holds no data, and asks for the token.
func mounts(service *server.Service, remote sparql.Remote, rows int) []server.Mount {
	return []server.Mount{
		{Pattern: "/", Handler: web.Handler(), Open: true},
		{Pattern: "/mcp", Handler: service.OneLarge(mcp.HTTP(service, command.Version()))},
		{Pattern: "/sparql", Handler: service.Limited(sparqlHandler(service, remote, rows))},
		{Pattern: "/update", Handler: updateHandler(service, remote), Writes: true},
		{Pattern: "/graphs", Handler: graphStore(service, rows), Writes: true},
		{Pattern: "/graphs/", Handler: graphStore(service, rows), Writes: true},
	}
}

// announce says where to go and who may.
func (a *app) announce(address string, guard server.Guard, info server.Info) {
	model := "exact answers only"
	if info.Model != nil {
		model = "predictions by " + info.Model.Name
	}
	a.Screen.Printf("%s: %s, %s; %s\n", info.Graph.Name, count.Of(info.Graph.Entities, "entity"), count.Of(info.Graph.Triples, "fact"), model)
	a.Screen.Printf("%s\n", a.Screen.Bold("http://"+address))
	switch {
	case guard.Closed():
		a.Screen.Printf("%s\n", a.Screen.Dim("clients must send a token"))
	case server.IsLoopback(address):
		a.Screen.Printf("%s\n", a.Screen.Dim("no token: only this machine can reach it"))
	default:
		a.Screen.Printf("%s\n", "no token: everybody who reaches this address can read and change the graph")
	}
	a.Out.Flush()
	if !info.Durable && !info.ReadOnly {
		a.Remark("added facts are kept in memory only (--facts DIR keeps them)")
	}
}
