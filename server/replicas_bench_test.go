package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/internal/pgtest"
	"github.com/lacuna-kg/lacuna/kg"
)

// BenchmarkReplicas lets clients add facts to three servers, processes of their own, that share a database: changes confirmed a second, and how long
// until one is read from another server. The graph is the small one, or LACUNA_TEST_GRAPH, with the foundation model where LACUNA_TEST_MODEL=1:
//
//	go test -run '^$' -bench Replicas -benchtime 10000x ./server
func BenchmarkReplicas(b *testing.B) {
	c := pgtest.Start(b)
	nodes := make([]*node, 3)
	for i := range nodes {
		nodes[i] = &node{facts: c.URL()}
		if err := nodes[i].start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(nodes[i].kill)
	}
	b.Run("changes", func(b *testing.B) { benchmarkChanges(b, nodes) })
	b.Run("own write", func(b *testing.B) { benchmarkOwnWrites(b, nodes) })
}

// benchmarkChanges posts from 96 clients at once, one fact a request.
func benchmarkChanges(b *testing.B, nodes []*node) {
	const clients = 96
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	var next, failed atomic.Int64
	var wait sync.WaitGroup
	run := mathrand.Uint32()
	b.ResetTimer()
	for i := range clients {
		wait.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if _, err := postFact(b.Context(), &client, nodes[i%len(nodes)], fmt.Sprint("f", run, "-", n)); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
	if failed.Load() > 0 {
		b.Errorf("%d of %d changes failed", failed.Load(), b.N)
	}
}

// benchmarkOwnWrites posts one fact at a time and reads it from the next server.
func benchmarkOwnWrites(b *testing.B, nodes []*node) {
	client := http.Client{}
	run := mathrand.Uint32()
	var times []time.Duration
	for n := 0; b.Loop(); n++ {
		head := fmt.Sprint("o", run, "-", n)
		began := time.Now()
		version, err := postFact(b.Context(), &client, nodes[n%len(nodes)], head)
		if err != nil {
			b.Fatal(err)
		}
		response, err := client.Get(fmt.Sprintf("%s/api/entity?name=%s&min_version=%d", nodes[(n+1)%len(nodes)].address(), head, version))
		if err != nil {
			b.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			b.Fatalf("%s: %s", head, response.Status)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

func postFact(ctx context.Context, client *http.Client, n *node, head string) (version uint64, err error) {
	body, _ := json.Marshal(FactsRequest{Add: []kg.Fact{fact(head, "in", "Norway")}})
	request, err := http.NewRequestWithContext(ctx, "POST", n.address()+"/api/facts", strings.NewReader(string(body)))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	var told FactsResponse
	text, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	return told.Version, err
}

// childGraph is the graph of a server in a process of its own.
func childGraph() (source string, model bool) {
	return os.Getenv("LACUNA_TEST_GRAPH"), os.Getenv("LACUNA_TEST_MODEL") != ""
}
