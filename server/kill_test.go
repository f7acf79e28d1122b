package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/journal/journaltest"
	"github.com/lacuna-kg/lacuna/journal/postgres"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// childFolder names the variable that makes the test binary a server that keeps facts in a folder.
const childFolder = "LACUNA_TEST_FACTS"

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		if err := serveFacts(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveFacts serves until it is killed. Its journal is compacted often, so that kills hit that too.
func serveFacts(folder string) error {
	ctx := context.Background()
	base, err := read.Stream(ctx, strings.NewReader(smallFacts), "small.tsv", read.Options{Format: read.TSV})
	limits, options := Limits{Compact: 4096}, []lacuna.Option{lacuna.Model(lacuna.Exact)}
	if source, model := childGraph(); source != "" {
		base, err = read.Graph(ctx, source, read.Options{})
		limits = Limits{}
		if model {
			options = nil
		}
	}
	if err != nil {
		return err
	}
	opened, err := openFacts(ctx, folder, base.Train)
	if err != nil {
		return err
	}
	engine, err := lacuna.New(ctx, opened.Graph, options...)
	if err != nil {
		return err
	}
	s, err := New(ctx, Options{Engine: engine, Facts: opened, Limits: limits})
	if err != nil {
		return err
	}
	listener, err := Listen(os.Getenv(childHost)+":0", Guard{}, true)
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return s.Serve(ctx, listener, s.Handler(Guard{}, Mount{Pattern: "/dump", Handler: http.HandlerFunc(s.dump)}))
}

// openFacts opens a folder or a database.
func openFacts(ctx context.Context, name string, g *kg.Graph) (*journal.Opened, error) {
	if postgres.IsURL(name) {
		return postgres.Open(ctx, name, g, postgres.Options{})
	}
	return journal.Open(ctx, name, g)
}

// dump writes the version and all that the graph states.
func (s *Service) dump(w http.ResponseWriter, _ *http.Request) {
	at, done := s.snapshots.use()
	defer done()
	fmt.Fprintln(w, at.version)
	fmt.Fprint(w, journaltest.State(at.engine.Graph))
}

// client posts changes of facts of its own and remembers what it was told.
type client struct {
	name   string
	rng    *rand.Rand
	posted int
	state  map[kg.Fact]bool // by the last change that was confirmed
	doubt  map[kg.Fact]bool // facts with a later change that was not
	// All in all: changes that were confirmed, and that were not.
	confirmed, doubts int
	version           uint64 // of the last change that was confirmed
	back              error  // a version that did not go on from the one before
}

func newClient(number int) *client {
	return &client{name: fmt.Sprint("c", number), rng: rand.New(rand.NewPCG(uint64(number), 3)), state: map[kg.Fact]bool{}, doubt: map[kg.Fact]bool{}}
}

// run posts until the server is gone, and counts what is confirmed: new facts, and now and then the removal of one.
func (c *client) run(url string, confirmed *atomic.Int64) {
	for {
		f := fact(fmt.Sprintf("%s-%d", c.name, c.posted), "in", "Norway")
		add := c.posted == 0 || c.rng.IntN(3) > 0
		if !add {
			f.Head = fmt.Sprintf("%s-%d", c.name, c.rng.IntN(c.posted))
		} else {
			c.posted++
		}
		if !c.post(url, f, add) {
			c.doubts++
			return
		}
		confirmed.Add(1)
	}
}

func (c *client) post(url string, f kg.Fact, add bool) bool {
	request := FactsRequest{Add: []kg.Fact{f}}
	if !add {
		request = FactsRequest{Remove: []kg.Fact{f}}
	}
	body, _ := json.Marshal(request)
	c.doubt[f] = true
	response, err := http.Post(url+"/api/facts", "application/json", strings.NewReader(string(body)))
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var told FactsResponse
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil || response.StatusCode != 200 || !told.Durable {
		return false
	}
	if told.Version < c.version || told.Version == c.version && told.Added+told.Removed > 0 {
		c.back = fmt.Errorf("%s: version %d after %d", c.name, told.Version, c.version)
	}
	c.version = told.Version
	c.confirmed++
	c.state[f] = add
	delete(c.doubt, f)
	return true
}

// TestKilledServerLosesNothing kills a server with -9, many times, while clients
// post: every confirmed change must be there in the end, and nothing that nobody posted.
// LACUNA_KILLS says how many times.
func TestKilledServerLosesNothing(t *testing.T) {
	kills := 60
	if testing.Short() {
		kills = 6
	}
	if text := os.Getenv("LACUNA_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	var clients []*client
	for i := range 4 {
		clients = append(clients, newClient(i))
	}
	for k := range kills {
		killOnce(t, folder, clients, rng)
		if k == kills-1 || k%killsBetween == killsBetween-1 {
			checkFolder(t, folder, clients)
			confirmed, doubts := tally(clients)
			t.Logf("%d kills: %d changes confirmed, %d cut off", k+1, confirmed, doubts)
		}
	}
	if confirmed, _ := tally(clients); confirmed < 50 {
		t.Errorf("%d changes were confirmed: too few to show anything", confirmed)
	}
}

// killsBetween are how many kills lie between two looks at the folder.
const killsBetween = 20

// checkFolder opens what the killed server left. What was in doubt is certain from then on, one way or the other: nobody may lose it later.
func checkFolder(t *testing.T, folder string, clients []*client) {
	t.Helper()
	opened, err := journal.Open(t.Context(), folder, smallGraph(t))
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Log.Close()
	checkFacts(t, opened.Graph, clients)
	checkVersions(t, opened.At.Version, clients)
}

// killOnce lets clients post to a new server until it has confirmed some changes, and a moment longer: at any of its steps.
func killOnce(t *testing.T, folder string, clients []*client, rng *rand.Rand) {
	t.Helper()
	server, url, err := startServer(folder)
	if err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	var wait sync.WaitGroup
	var confirmed atomic.Int64
	for _, c := range clients {
		wait.Go(func() { c.run(url, &confirmed) })
	}
	for enough, start := rng.Int64N(20), time.Now(); confirmed.Load() < enough; time.Sleep(time.Millisecond / 2) {
		if time.Since(start) > time.Minute {
			t.Fatalf("the server confirmed %d changes in a minute", confirmed.Load())
		}
	}
	time.Sleep(time.Duration(rng.IntN(5000)) * time.Microsecond)
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // it was killed
	wait.Wait()
}

// startServer runs this binary as a server of facts that are kept in a folder or a database.
func startServer(facts string) (server *exec.Cmd, url string, err error) {
	return startAs(exec.Command(os.Args[0]), facts, "127.0.0.1")
}

// childHost names the variable with the address that such a server listens at.
const childHost = "LACUNA_TEST_HOST"

// startAs is startServer by a command of one's own.
func startAs(server *exec.Cmd, facts, host string) (_ *exec.Cmd, url string, err error) {
	server.Env = append(os.Environ(), childFolder+"="+facts, childHost+"="+host)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		return nil, "", err
	}
	if url, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	return server, strings.TrimSpace(url), err
}

func checkFacts(t *testing.T, g *kg.Graph, clients []*client) {
	t.Helper()
	stated := map[kg.Fact]bool{}
	for triple := range g.Triples() {
		stated[fact(g.Entity(triple.Head), g.Relation(triple.Relation), g.Entity(triple.Tail))] = true
	}
	others := maps.Clone(stated)
	for _, c := range clients {
		for f, want := range c.state {
			if stated[f] != want && !c.doubt[f] {
				t.Errorf("%v: stated %v, confirmed %v", f, stated[f], want)
			}
			delete(others, f)
		}
		for f := range c.doubt {
			c.state[f] = stated[f]
			delete(others, f)
		}
		clear(c.doubt)
	}
	if len(others) != strings.Count(smallFacts, "\n") {
		t.Errorf("facts that nobody posted: %v", others)
	}
}

// checkVersions holds the version of the log against what clients were told: none of them beyond it, and no more versions
// than changes that were sent, or one was made twice.
func checkVersions(t *testing.T, version uint64, clients []*client) {
	t.Helper()
	confirmed, doubts := tally(clients)
	for _, c := range clients {
		if c.back != nil {
			t.Error(c.back)
		}
		if c.version > version+1 {
			t.Errorf("%s was told version %d, the log is at %d", c.name, c.version, version)
		}
	}
	if version > uint64(confirmed+doubts) {
		t.Errorf("%d entries in the log of %d changes that were sent", version, confirmed+doubts)
	}
}

// tally counts changes, those that were confirmed and those that a kill cut off.
func tally(clients []*client) (confirmed, doubts int) {
	for _, c := range clients {
		confirmed += c.confirmed
		doubts += c.doubts
	}
	return confirmed, doubts
}
