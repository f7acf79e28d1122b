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
		Clients: o.Clients, Seconds: o.Time.Seconds(), Requests: len(samples), Errors: map[string]int{},
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
	var sum time.Duration
	for _, s := range samples {
		if s.failure != "" {
			r.Errors[s.failure]++
			continue
		}
		times = append(times, s.took)
		sum += s.took
	}
	if len(times) == 0 {
		return r
	}
	slices.Sort(times)
	r.Throughput = float64(len(times)) / r.Seconds
	r.CPUMS = 1000 * (after["process_cpu_seconds_total"] - before["process_cpu_seconds_total"]) / float64(len(times))
	r.MeanMS = milliseconds(sum / time.Duration(len(times)))
	r.P50MS, r.P99MS, r.MaxMS = milliseconds(quantile(times, 0.50)), milliseconds(quantile(times, 0.99)), milliseconds(times[len(times)-1])
	return r
}

// quantile of sorted times, by the nearest rank.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
