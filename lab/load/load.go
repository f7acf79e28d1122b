// Package load puts load on a server of this machine and measures it: clients that
// each send a request, wait for the answer and send the next.
package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Options say what load to put on.
type Options struct {
	URL     string // of a server on loopback
	Clients int
	Time    time.Duration
	WarmUp  time.Duration // before the time that counts
	Token   string        // "" for none
	// Body is the JSON body of request i of a client.
	Body func(client int, i uint64) ([]byte, error)
	Path string // "/api/ask"
	// Change is the JSON body of change i of facts, which one more client makes Every so often while the time counts; nil for none.
	Change func(i uint64) ([]byte, error)
	Every  time.Duration
	Parts  int // stretches of the time that are reported one by one, 0 for none
}

// Report is what was measured.
type Report struct {
	Clients    int            `json:"clients"`
	Seconds    float64        `json:"seconds"`
	Requests   int            `json:"requests"`
	Throughput float64        `json:"requests_per_second"`
	Errors     map[string]int `json:"errors"` // by status, or what went wrong without one
	Times
	MemoryWarm  int64       `json:"memory_warm_bytes"` // of the server after the warm-up, resident
	MemoryEnd   int64       `json:"memory_end_bytes"`
	HeapWarm    int64       `json:"heap_warm_bytes"`
	HeapEnd     int64       `json:"heap_end_bytes"`
	Goroutines  int64       `json:"goroutines_end"`
	CPUMS       float64     `json:"cpu_ms_per_request"` // processor time of the server
	Projections projections `json:"projections"`        // of the server within the time that counts
	Changes     *Changes    `json:"changes,omitempty"`
	Parts       []Part      `json:"parts,omitempty"`
	Growth      float64     `json:"memory_growth,omitempty"` // the most memory of the later half of the parts, over that of the earlier half
}

// projections are the relation steps that the requests needed.
type projections struct {
	Computed int64 `json:"computed"`
	Recalled int64 `json:"recalled"` // from the cache
	Shared   int64 `json:"shared"`   // with another question of the batch
}

// Run measures. A client's failure is counted and the client goes on.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := checkLoopback(o.URL); err != nil {
		return nil, err
	}
	r := &runner{Options: o, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.Clients}, Timeout: 2 * time.Minute}}
	if _, err := r.scrape(ctx); err != nil {
		return nil, err
	}
	if _, err := r.stretch(ctx, o.WarmUp, 0); err != nil {
		return nil, err
	}
	before, err := r.scrape(ctx)
	if err != nil {
		return nil, err
	}
	beside := r.beside(ctx)
	samples, err := r.stretch(ctx, o.Time, 1<<32)
	changes, memory, besideErr := beside.end()
	if err := errors.Join(err, besideErr); err != nil {
		return nil, err
	}
	after, err := r.scrape(ctx)
	if err != nil {
		return nil, err
	}
	report := report(o, samples, before, after)
	report.Changes, report.Parts = changed(changes), parts(o, beside.start, samples, memory)
	report.Growth = growth(report.Parts)
	return report, nil
}

// checkLoopback keeps load off other people's machines.
func checkLoopback(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return fmt.Errorf("%q: expected an address such as http://127.0.0.1:8420", address)
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s is another machine: load is for a server on this one", u.Hostname())
	}
	return nil
}

type runner struct {
	Options
	client *http.Client
}

// sample is the outcome of one request.
type sample struct {
	sent    time.Time
	took    time.Duration
	failure string // "" for none
}

// stretch sends requests for a time; first is the number of each client's first.
func (r *runner) stretch(ctx context.Context, time time.Duration, first uint64) ([]sample, error) {
	if time <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time)
	defer cancel()
	all := make([][]sample, r.Clients)
	errs := make([]error, r.Clients)
	var wait sync.WaitGroup
	for c := range r.Clients {
		wait.Go(func() {
			for i := first; ctx.Err() == nil && errs[c] == nil; i++ {
				body, err := r.Body(c, i)
				if err != nil {
					errs[c] = err
					cancel()
					return
				}
				if s := r.send(ctx, r.Path, body); ctx.Err() == nil || s.failure == "" {
					all[c] = append(all[c], s)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(all...), nil
}

func (r *runner) send(ctx context.Context, path string, body []byte) sample {
	start := time.Now()
	failure := r.post(ctx, path, body)
	return sample{start, time.Since(start), failure}
}

// post gives what went wrong, or "".
func (r *runner) post(ctx context.Context, path string, body []byte) string {
	request, err := r.request(ctx, http.MethodPost, path, bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return "no answer"
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return "half an answer"
	}
	if response.StatusCode != http.StatusOK {
		return response.Status
	}
	return ""
}

func (r *runner) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.URL+path, body)
	if err == nil && r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	return request, err
}
