package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/internal/pgtest"
	"github.com/lacuna-kg/lacuna/kg"
)

// chaosVariable sets how long servers and their database are maltreated, as in LACUNA_CHAOS=10m; a few seconds otherwise.
const chaosVariable = "LACUNA_CHAOS"

// link is what leads from a server to the database.
type link interface {
	Cut()
	Mend()
	Reset()
}

// node is a server in a process of its own, behind a link to the database.
type node struct {
	link  link
	facts string
	space *pgtest.Namespace // the network that it is in; nil for the test's own

	mutex  sync.Mutex
	server *exec.Cmd
	url    string // "" while it is down
}

func (n *node) start() error {
	command, host := exec.Command(os.Args[0]), "127.0.0.1"
	if n.space != nil {
		command, host = n.space.Command(os.Args[0]), n.space.Host
	}
	server, url, err := startAs(command, n.facts, host)
	if err != nil {
		return err
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.server, n.url = server, url
	return nil
}

func (n *node) kill() {
	n.mutex.Lock()
	server := n.server
	n.server, n.url = nil, ""
	n.mutex.Unlock()
	if server != nil {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
}

func (n *node) address() string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.url
}

// writer of facts that go back and forth: each is added, removed and added again, so that a change which is made twice, or late, shows.
type toggler struct {
	name  string
	rng   *mathrand.Rand
	nodes []*node
	http  http.Client

	state     map[string]bool // of each fact by the last change that was confirmed
	doubt     string          // the fact of the change that was not
	confirmed int
	again     int // attempts beyond the first
	reads     int // of own writes
	wrong     []string
}

// run changes facts until the end, each change until it is confirmed.
func (w *toggler) run(ctx context.Context) {
	for ctx.Err() == nil {
		head := fmt.Sprint(w.name, "-", w.rng.IntN(20))
		add := !w.state[head]
		facts := []kg.Fact{fact(head, "in", "Norway")}
		request := FactsRequest{Key: rand.Text(), Add: facts}
		if !add {
			request = FactsRequest{Key: request.Key, Remove: facts}
		}
		w.doubt = head
		version, ok := w.change(ctx, request)
		if !ok {
			return
		}
		w.confirmed++
		w.state[head], w.doubt = add, ""
		w.check(ctx, head, add, version)
	}
}

// change sends a request to one server after the other, under one key.
func (w *toggler) change(ctx context.Context, request FactsRequest) (version uint64, ok bool) {
	body, _ := json.Marshal(request)
	for first := true; ctx.Err() == nil; first = false {
		if !first {
			w.again++
			time.Sleep(10 * time.Millisecond)
		}
		status, text := w.send(ctx, "POST", "/api/facts", body)
		var told FactsResponse
		switch {
		case status == http.StatusOK && json.Unmarshal(text, &told) == nil && told.Durable:
			if told.Added+told.Removed != 1 {
				w.wrong = append(w.wrong, fmt.Sprintf("%+v changed nothing: %s", request, text))
			}
			return told.Version, true
		case status == http.StatusOK, status >= 400 && status < 500 && status != http.StatusTooManyRequests, status == http.StatusInternalServerError:
			w.wrong = append(w.wrong, fmt.Sprintf("%d %s", status, text))
		}
	}
	return 0, false
}

// check reads the fact that was just changed, from any server.
func (w *toggler) check(ctx context.Context, head string, add bool, version uint64) {
	body, _ := json.Marshal(AskRequest{Question: "?c : in(" + head + ", c)"})
	status, text := w.send(ctx, "POST", fmt.Sprint("/api/ask?min_version=", version), body)
	if status != http.StatusOK {
		return
	}
	w.reads++
	if there := strings.Contains(string(text), `"entity":"Norway"`); there != add {
		w.wrong = append(w.wrong, fmt.Sprintf("%s at version %d: there %v, confirmed %v: %s", head, version, there, add, text))
	}
}

// send gives status 0 where no answer came.
func (w *toggler) send(ctx context.Context, method, path string, body []byte) (status int, text []byte) {
	url := w.nodes[w.rng.IntN(len(w.nodes))].address()
	if url == "" {
		return 0, nil
	}
	request, err := http.NewRequestWithContext(ctx, method, url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := w.http.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(response.Body); err != nil {
		return 0, nil
	}
	return response.StatusCode, text
}

// TestReplicasUnderChaos kills servers and their database with -9 and cuts links between them, while clients change facts and
// read what they changed: nothing that was confirmed is lost or made twice, everybody reads their own writes, and in the end all
// servers have the same graph.
func TestReplicasUnderChaos(t *testing.T) {
	t.Parallel() // it mostly waits, as the next does
	lasting := 5 * time.Second
	if text := os.Getenv(chaosVariable); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		lasting = 2 * time.Second
	}
	c := pgtest.Start(t)
	nodes := linked(t, c, 3)
	for _, n := range nodes {
		if err := n.start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.kill)
	}
	ctx, cancel := context.WithCancel(t.Context())
	writers := make([]*toggler, 6)
	var wait sync.WaitGroup
	for i := range writers {
		writers[i] = &toggler{name: fmt.Sprint("w", i), rng: mathrand.New(mathrand.NewPCG(uint64(i), 5)), nodes: nodes, http: http.Client{Timeout: 3 * time.Second}, state: map[string]bool{}}
		wait.Go(func() { writers[i].run(ctx) })
	}
	events := maltreat(t, c, nodes, lasting)
	time.Sleep(300 * time.Millisecond)
	cancel()
	wait.Wait()
	graph := agreed(t, c, nodes)
	confirmed, again, reads := 0, 0, 0
	for _, w := range writers {
		for _, wrong := range w.wrong {
			t.Error(wrong)
		}
		for head, want := range w.state {
			if there := strings.Contains(graph, "in("+head+",Norway) "); there != want && head != w.doubt {
				t.Errorf("%s: there %v, confirmed %v", head, there, want)
			}
		}
		confirmed, again, reads = confirmed+w.confirmed, again+w.again, reads+w.reads
	}
	t.Logf("%v in %v: %d changes confirmed, %d attempts beyond the first, %d own writes read", events, lasting, confirmed, again, reads)
	if confirmed < 20 {
		t.Errorf("%d changes were confirmed: too few to show anything", confirmed)
	}
}

// linked are servers to be started, in a long run each in a network of its own where the system lets us, else behind a proxy.
func linked(t *testing.T, c *pgtest.Cluster, n int) []*node {
	nodes := make([]*node, n)
	if os.Getenv(chaosVariable) != "" {
		spaces, err := c.Namespaces(t, n)
		for i, s := range spaces {
			nodes[i] = &node{link: s, facts: s.URL, space: s}
		}
		if err == nil {
			t.Log("links are those of network namespaces")
			return nodes
		}
		t.Logf("links are proxies: %v", err)
	}
	for i := range nodes {
		proxy := c.Link(t)
		nodes[i] = &node{link: proxy, facts: c.At(proxy.Address())}
	}
	return nodes
}

// maltreat lets one bad thing after the other happen, and puts all in order in the end.
func maltreat(t *testing.T, c *pgtest.Cluster, nodes []*node, lasting time.Duration) map[string]int {
	rng, events := mathrand.New(mathrand.NewPCG(3, 4)), map[string]int{}
	longest := 1500
	if lasting > time.Minute {
		longest = 6000
	}
	some := func(most int) { time.Sleep(time.Duration(rng.IntN(most)) * time.Millisecond) }
	for began, i := time.Now(), 0; time.Since(began) < lasting; i++ {
		some(400)
		n := nodes[rng.IntN(len(nodes))]
		switch i % 4 {
		case 0:
			events["servers killed"]++
			n.kill()
			some(300)
			if err := n.start(); err != nil {
				t.Fatal(err)
			}
		case 1:
			events["links cut"]++
			n.link.Cut()
			some(longest)
			n.link.Mend()
		case 2:
			events["database killed"]++
			c.Kill()
			some(300)
			c.Resume()
		case 3:
			events["connections reset"]++
			n.link.Reset()
		}
	}
	return events
}

// agreed waits until all servers stand at the log's end, one that starts now among them, checks that they are equal, and gives their graph.
func agreed(t *testing.T, c *pgtest.Cluster, nodes []*node) string {
	t.Helper()
	fresh := &node{facts: c.URL()}
	if err := fresh.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fresh.kill)
	nodes = append([]*node{fresh}, nodes...)
	graphs := make([]string, len(nodes))
	happens(t, "all servers are level with the log", func() bool {
		head := strings.TrimSpace(c.SQL("SELECT version + 1 FROM lacuna_log")) // a change of a client that left may still come
		for i, n := range nodes {
			version, graph := n.dump()
			if version != head {
				return false
			}
			graphs[i] = graph
		}
		return true
	})
	for i, graph := range graphs {
		if graph != graphs[0] {
			t.Errorf("server %d has another graph:\n%s\nwant\n%s", i, graph, graphs[0])
		}
	}
	return graphs[0]
}

// dump is the version that a server has, and all of its graph.
func (n *node) dump() (version, graph string) {
	response, err := http.Get(n.address() + "/dump")
	if err != nil {
		return "", ""
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	version, graph, _ = strings.Cut(string(text), "\n")
	return version, graph
}
