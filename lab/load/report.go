package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scrape reads the server's metrics: values by name and labels as they are printed.
func (r *runner) scrape(ctx context.Context) (map[string]float64, error) {
	request, err := r.request(ctx, http.MethodGet, "/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no server answers at %s: %w", r.URL, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s/metrics: %s", r.URL, response.Status)
	}
	return parseMetrics(response.Body)
}

func parseMetrics(in io.Reader) (map[string]float64, error) {
	values := map[string]float64{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		name, text, found := strings.Cut(lines.Text(), "} ")
		if found {
			name += "}"
		} else {
			name, text, found = strings.Cut(lines.Text(), " ")
		}
		if value, err := strconv.ParseFloat(text, 64); found && err == nil && !strings.HasPrefix(name, "#") {
			values[name] = value
		}
	}
	return values, lines.Err()
}

func report(o Options, samples []sample, before, after map[string]float64) *Report {
	r := &Report{
		Clients: o.Clients, Seconds: o.Time.Seconds(), Requests: len(samples),
		MemoryWarm: int64(before["process_resident_memory_bytes"]), MemoryEnd: int64(after["process_resident_memory_bytes"]),
		HeapWarm: int64(before["go_memstats_heap_alloc_bytes"]), HeapEnd: int64(after["go_memstats_heap_alloc_bytes"]),
		Goroutines: int64(after["go_goroutines"]),
	}
	grown := func(name string) int64 {
		name = "lacuna_projections_" + name + `_total{mode="predict"}`
		return int64(after[name] - before[name])
	}
	r.Projections = projections{grown("computed"), grown("recalled"), grown("shared")}
	var times []time.Duration
	times, r.Errors = outcomes(samples)
	if len(times) == 0 {
		return r
	}
	r.Times = timesOf(times)
	r.Throughput = float64(len(times)) / r.Seconds
	r.CPUMS = 1000 * (after["process_cpu_seconds_total"] - before["process_cpu_seconds_total"]) / float64(len(times))
	return r
}

// outcomes parts the times of what was answered, in ascending order, from what went wrong.
func outcomes(samples []sample) (times []time.Duration, errors map[string]int) {
	errors = map[string]int{}
	for _, s := range samples {
		if s.failure != "" {
			errors[s.failure]++
		} else {
			times = append(times, s.took)
		}
	}
	slices.Sort(times)
	return times, errors
}

// Times say how long requests took.
type Times struct {
	MeanMS float64 `json:"mean_ms"`
	P50MS  float64 `json:"p50_ms"`
	P99MS  float64 `json:"p99_ms"`
	MaxMS  float64 `json:"max_ms"`
}

func timesOf(sorted []time.Duration) Times {
	if len(sorted) == 0 {
		return Times{}
	}
	var sum time.Duration
	for _, t := range sorted {
		sum += t
	}
	return Times{milliseconds(sum / time.Duration(len(sorted))), milliseconds(quantile(sorted, 0.50)), milliseconds(quantile(sorted, 0.99)), milliseconds(sorted[len(sorted)-1])}
}

// quantile of sorted times, by the nearest rank.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
