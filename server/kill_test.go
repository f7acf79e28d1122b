package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/journal"
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
	listener, err := Listen(os.Getenv(childHost)+":0", "", true)
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
	fmt.Fprint(w, dump(at.engine.Graph))
}

// client posts changes of facts of its own and remembers what it was told.
type client struct {
	name   string
	rng    *rand.Rand
	posted int
	state  map[kg.Fact]bool // by the last change that was confirmed
	doubt  map[kg.Fact]bool // facts with a later change that was not
}

// run posts until the server is gone: new facts, and now and then the removal of one.
func (c *client) run(url string) {
	for {
		f := fact(fmt.Sprintf("%s-%d", c.name, c.posted), "in", "Norway")
		add := c.posted == 0 || c.rng.IntN(3) > 0
		if !add {
			f.Head = fmt.Sprintf("%s-%d", c.name, c.rng.IntN(c.posted))
		} else {
			c.posted++
		}
		if !c.post(url, f, add) {
			return
		}
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
	c.state[f] = add
	delete(c.doubt, f)
	return true
}

// TestKilledServerLosesNothing kills a server with -9, many times, while clients
// post: every confirmed change must be there in the end, and nothing that nobody posted.
func TestKilledServerLosesNothing(t *testing.T) {
	kills := 60
	if testing.Short() {
		kills = 6
	}
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	clients := make([]*client, 4)
	for i := range clients {
		clients[i] = &client{name: fmt.Sprint("c", i), rng: rand.New(rand.NewPCG(uint64(i), 3)), state: map[kg.Fact]bool{}, doubt: map[kg.Fact]bool{}}
	}
	for range kills {
		killOnce(t, folder, clients, time.Duration(5+rng.IntN(60))*time.Millisecond)
	}
	opened, err := journal.Open(t.Context(), folder, smallGraph(t))
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Log.Close()
	checkFacts(t, opened.Graph, clients)
}

// killOnce lets clients post to a new server for a moment.
func killOnce(t *testing.T, folder string, clients []*client, moment time.Duration) {
	t.Helper()
	server, url, err := startServer(folder)
	if err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	var wait sync.WaitGroup
	for _, c := range clients {
		wait.Go(func() { c.run(url) })
	}
	time.Sleep(moment)
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
	confirmed := 0
	for _, c := range clients {
		for f, want := range c.state {
			confirmed++
			if stated[f] != want && !c.doubt[f] {
				t.Errorf("%v: stated %v, confirmed %v", f, stated[f], want)
			}
		}
		for f := range c.doubt {
			delete(stated, f)
		}
		for f := range c.state {
			delete(stated, f)
		}
	}
	if len(stated) != strings.Count(smallFacts, "\n") {
		t.Errorf("facts that nobody posted: %v", stated)
	}
	if confirmed < 50 {
		t.Errorf("%d changes were confirmed: too few to show anything", confirmed)
	}
	t.Logf("%d confirmed changes, %d in doubt", confirmed, len(clients[0].doubt)+len(clients[1].doubt)+len(clients[2].doubt)+len(clients[3].doubt))
}
