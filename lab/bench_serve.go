package lab

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/load"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/server"
)

// benchServeFlags say what load to put on a server.
type benchServeFlags struct {
	graph     command.GraphFlags
	options   load.Options
	questions uint64
	skew      float64
	mode      string
	seed      uint64
}

func (a *app) benchServeCommand() *cobra.Command {
	var flags benchServeFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Put load on a server of this machine and report throughput, latency and memory",
		Long: `Put load on a running lacuna serve of this machine. Clients ask questions of the 14
shapes of the benchmarks, drawn from the graph that is served (-g), one after the
other, and report throughput, times, errors and the server's memory after the
warm-up and at the end.

By default no question comes twice. With --questions N clients choose among N of them,
the k-th as often as 1/k^SKEW says: people ask what others ask.

With --change-every one more client changes facts meanwhile: each time it states a fact
among entities of the graph and takes back the one of ten changes ago. --parts N
reports N stretches of the time one by one, with the most memory that was seen in each,
as a soak of an hour needs (scripts/soak.sh).`,
		Example: `  lacuna serve -g FB15k-237-betae &
  lacuna-lab bench serve -g FB15k-237-betae --clients 16 --for 60s
  lacuna-lab bench serve -g FB15k-237-betae --questions 1000 --skew 1 --json
  lacuna-lab bench serve -g FB15k-237-betae --for 30m --parts 10 --change-every 2s`,
		Args: command.Arguments(0, 0, "no argument (name the server by --url)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.benchServe(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.options.URL, "url", "http://127.0.0.1:8420", "the server, on this machine")
	f.IntVar(&flags.options.Clients, "clients", 16, "clients that ask at the same time")
	f.DurationVar(&flags.options.Time, "for", time.Minute, "how long to measure")
	f.DurationVar(&flags.options.WarmUp, "warmup", 10*time.Second, "how long to ask before that")
	f.Uint64Var(&flags.questions, "questions", 0, "different questions to choose from (default: every one is new)")
	f.Float64Var(&flags.skew, "skew", 1, "of --questions: how much more often the popular ones are asked; 0 for all alike")
	f.DurationVar(&flags.options.Every, "change-every", 0, "change facts this often (default: never)")
	f.IntVar(&flags.options.Parts, "parts", 0, "stretches of the time to report one by one")
	f.StringVar(&flags.mode, "mode", "", "predict or exact (default: the server's)")
	f.Uint64Var(&flags.seed, "seed", 1, "seed of the questions")
	return cmd
}

func (a *app) benchServe(cmd *cobra.Command, flags *benchServeFlags) error {
	if flags.options.Clients < 1 || flags.options.Time <= 0 || flags.skew < 0 || flags.options.Every < 0 || flags.options.Parts < 0 {
		return kg.Errorf(kg.Invalid, "", "--clients, --for, --skew, --change-every and --parts: expected at least one client, some time and nothing negative")
	}
	splits, err := flags.graph.Open(cmd.Context(), a.App)
	if err != nil {
		return err
	}
	defer splits.Close()
	flags.options.Path = "/api/ask"
	if flags.options.Body, err = flags.bodies(splits.Train); err != nil {
		return err
	}
	if flags.options.Every > 0 {
		flags.options.Change = flags.changes(splits.Train)
	}
	report, err := load.Run(cmd.Context(), flags.options)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	a.showLoad(report)
	return nil
}

// bodies draws the questions, each client in an order of its own.
func (f *benchServeFlags) bodies(g *kg.Graph) (func(client int, i uint64) ([]byte, error), error) {
	var shapes []sample.Count
	for _, shape := range query.Shapes {
		shapes = append(shapes, sample.Count{Shape: shape, Queries: 1})
	}
	drawer, err := sample.NewDrawer(g, shapes, f.seed)
	if err != nil {
		return nil, err
	}
	choose := func(_ *rand.Rand, client int, i uint64) uint64 { return i*uint64(f.options.Clients) + uint64(client) }
	if f.questions > 0 {
		popularity := cumulative(f.questions, f.skew)
		choose = func(rng *rand.Rand, _ int, _ uint64) uint64 {
			k, _ := slices.BinarySearch(popularity, rng.Float64())
			return uint64(min(k, len(popularity)-1))
		}
	}
	return func(client int, i uint64) ([]byte, error) {
		rng := rand.New(rand.NewPCG(f.seed+uint64(client), i))
		_, q, err := drawer.Draw(choose(rng, client, i))
		if err != nil {
			return nil, err
		}
		return json.Marshal(server.AskRequest{Question: query.FromExpr(q.Expr, g.Vocabulary).String(), Mode: f.mode})
	}, nil
}

// changesKept are how many changes later a fact is taken back.
const changesKept = 10

// changes are facts among the graph's entities, stated and taken back, so that the graph stays as large as it is.
func (f *benchServeFlags) changes(g *kg.Graph) func(i uint64) ([]byte, error) {
	fact := func(i uint64) []kg.Fact {
		rng := rand.New(rand.NewPCG(f.seed, i))
		return []kg.Fact{{
			Head:     g.Entity(kg.Entity(rng.IntN(g.NumEntities()))),
			Relation: g.Relation(kg.Forward(uint32(rng.IntN(g.Relations.Names.Len())))),
			Tail:     g.Entity(kg.Entity(rng.IntN(g.NumEntities()))),
		}}
	}
	return func(i uint64) ([]byte, error) {
		request := server.FactsRequest{Add: fact(i)}
		if i >= changesKept {
			request.Remove = fact(i - changesKept)
		}
		return json.Marshal(request)
	}
}

// cumulative are the shares of the first k of n questions, the k-th asked in proportion to 1/k^skew.
func cumulative(n uint64, skew float64) []float64 {
	shares := make([]float64, n)
	sum := 0.0
	for k := range shares {
		sum += math.Pow(float64(k+1), -skew)
		shares[k] = sum
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares
}

func (a *app) showLoad(r *load.Report) {
	s := a.Screen
	row := func(name, format string, args ...any) {
		s.Printf("%s  %s\n", s.Bold(command.Pad(name, 11)), fmt.Sprintf(format, args...))
	}
	row("questions", "%s in %.0f s by %s: %.1f a second", count.Number(r.Requests), r.Seconds, count.Of(r.Clients, "client"), r.Throughput)
	row("time", "mean %.0f ms, p50 %.0f ms, p99 %.0f ms, most %.0f ms", r.MeanMS, r.P50MS, r.P99MS, r.MaxMS)
	row("processor", "%.0f ms of the server a question", r.CPUMS)
	row("projections", "%s computed, %s recalled, %s shared", count.Number(int(r.Projections.Computed)), count.Number(int(r.Projections.Recalled)), count.Number(int(r.Projections.Shared)))
	row("memory", "%d MB after the warm-up, %d MB at the end; %s", r.MemoryWarm>>20, r.MemoryEnd>>20, count.Of(r.Goroutines, "goroutine"))
	if c := r.Changes; c != nil {
		row("changes", "%s of facts: p50 %.0f ms, p99 %.0f ms, most %.0f ms", count.Number(c.Made), c.P50MS, c.P99MS, c.MaxMS)
		for _, what := range slices.Sorted(maps.Keys(c.Errors)) {
			row("changes", "%s failed: %s", count.Number(c.Errors[what]), what)
		}
	}
	a.showParts(r)
	if len(r.Errors) == 0 {
		row("errors", "none")
	}
	for _, what := range slices.Sorted(maps.Keys(r.Errors)) {
		row("errors", "%s: %s", count.Number(r.Errors[what]), what)
	}
}

// showParts prints a line for each stretch of the time.
func (a *app) showParts(r *load.Report) {
	if len(r.Parts) == 0 {
		return
	}
	s := a.Screen
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%9s %10s %7s %9s %9s %10s", "from s", "questions", "errors", "p50 ms", "p99 ms", "most MB")))
	for _, p := range r.Parts {
		s.Printf("%9.0f %10s %7d %9.0f %9.0f %10s\n", p.From, count.Number(p.Requests), p.Errors, p.P50MS, p.P99MS, count.Number(int(p.Memory>>20)))
	}
	s.Printf("the most memory of the later half is %.2f of that of the earlier\n", r.Growth)
}
