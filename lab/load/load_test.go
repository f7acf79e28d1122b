package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestRun puts load on a server that refuses every tenth request and counts what it was sent.
func TestRun(t *testing.T) {
	var asked, scrapes, changes atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/metrics" {
			n := scrapes.Add(1)
			fmt.Fprintf(w, "# TYPE go_goroutines gauge\ngo_goroutines 7\nprocess_resident_memory_bytes %d\n", n<<20)
			fmt.Fprintf(w, "lacuna_projections_computed_total{mode=\"predict\"} %d\n", 100*n)
			return
		}
		if r.URL.Path == "/api/facts" {
			if changes.Add(1) == 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return
		}
		if asked.Add(1)%10 == 0 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	o := Options{URL: server.URL, Clients: 3, Time: 200 * time.Millisecond, WarmUp: 50 * time.Millisecond, Token: "secret", Path: "/api/ask",
		Body: func(int, uint64) ([]byte, error) { return []byte("{}"), nil }}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	refused := r.Errors["429 Too Many Requests"]
	if r.Requests < 20 || refused == 0 || len(r.Errors) != 1 || r.Throughput != float64(r.Requests-refused)/0.2 {
		t.Errorf("%+v", r)
	}
	if r.P50MS <= 0 || r.P99MS < r.P50MS || r.MaxMS < r.P99MS {
		t.Errorf("times out of order: %+v", r)
	}
	if r.MemoryWarm != 2<<20 || r.MemoryEnd != 3<<20 || r.Projections.Computed != 100 || r.Goroutines != 7 {
		t.Errorf("the metrics were read as %+v", r)
	}
	if r.Changes != nil || r.Parts != nil {
		t.Errorf("%+v: nobody asked for changes or parts", r)
	}
	o.Time = 600 * time.Millisecond // so that each part is looked at, on a busy machine too
	o.Change, o.Every, o.Parts = func(i uint64) ([]byte, error) { return o.Body(0, i) }, 10*time.Millisecond, 2
	checkBeside(t, o, &changes)
	o.Token = ""
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("%v, want the refusal", err)
	}
}

// checkBeside holds the changes and the parts of a run against each other and against what the server saw.
func checkBeside(t *testing.T, o Options, changes *atomic.Int64) {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Changes; c.Made < 3 || c.Errors["503 Service Unavailable"] != 1 || int64(c.Made+1) != changes.Load() || c.P50MS <= 0 {
		t.Errorf("%+v of %d changes", c, changes.Load())
	}
	requests, failures := 0, 0
	for _, p := range r.Parts {
		requests += p.Requests
		failures += p.Errors
		if p.P50MS <= 0 || p.Memory == 0 {
			t.Errorf("part %+v", p)
		}
	}
	if len(r.Parts) != 2 || requests != r.Requests || failures != r.Errors["429 Too Many Requests"] || r.Parts[1].Memory <= r.Parts[0].Memory || r.Parts[1].From != 0.3 || r.Growth <= 1 {
		t.Errorf("parts %+v of %+v", r.Parts, r)
	}
}

func TestOtherMachinesAreLeftAlone(t *testing.T) {
	for url, allowed := range map[string]bool{
		"http://127.0.0.1:8420": true, "http://localhost:8420": true, "http://[::1]:8420": true,
		"http://example.org": false, "http://192.0.2.7:8420": false, "https://127.0.0.1": false, "127.0.0.1:8420": false,
	} {
		if err := checkLoopback(url); (err == nil) != allowed {
			t.Errorf("%s: %v, allowed should be %v", url, err, allowed)
		}
	}
}

func TestQuantile(t *testing.T) {
	var times []time.Duration
	for i := range 100 {
		times = append(times, time.Duration(i+1))
	}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 51, 0.99: 100, 1: 100} {
		if got := quantile(times, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
}
