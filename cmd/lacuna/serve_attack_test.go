package main

import (
	"context"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/server/attack"
)

// attacked is the whole server on the embedded graph, over HTTP.
func attacked(t *testing.T) attack.Target {
	t.Helper()
	service, err := server.New(t.Context(), server.Options{
		Engine: laureates.Engine(t, lacuna.Turing), Limits: server.Limits{Unpacked: 1 << 20},
		Open: func(_ context.Context, g *kg.Graph, _ string) (*lacuna.Engine, error) {
			return laureates.Exact(t, g), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(service.Handler(server.Guard{Hosts: server.LoopbackHosts}, mounts(service, nil, 0)...))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close(); service.Close() })
	return attack.Target{URL: web.URL}
}

// TestAttacks plays each attack for a moment: a bystander is answered, and nobody gets a 500. How quickly it is answered is
// for the large form to say (docs/operations.md), on a machine that has nothing else to do.
func TestAttacks(t *testing.T) {
	target := attacked(t)
	for _, c := range attack.Cases {
		outcome, err := attack.Run(t.Context(), target, c, attack.Small)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if failed := outcome.Failed(); len(failed) > 0 || outcome.Attackers[500] > 0 {
			t.Errorf("%v", outcome)
		}
		t.Log(outcome)
	}
}

// TestFuzzedPaths sends requests over all paths, files included: none has a status of 500, and none goes without an answer.
// LACUNA_FUZZ_REQUESTS says how many.
func TestFuzzedPaths(t *testing.T) {
	count := 1500
	if n, err := strconv.Atoi(os.Getenv("LACUNA_FUZZ_REQUESTS")); err == nil {
		count = n
	}
	statuses, wrong, err := attack.Fuzz(t.Context(), attacked(t), count, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
	if statuses[200] < count/10 || statuses[400] < count/10 {
		t.Errorf("statuses %v: requests that are all alike prove nothing", statuses)
	}
	t.Logf("%d requests, by status %v", count, statuses)
}
