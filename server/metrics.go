package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lacuna-kg/lacuna"
)

// metrics counts what the service does and prints it in the text format of Prometheus.
type metrics struct {
	service *Service
	predict laneMetrics
	exact   laneMetrics
	panics  atomic.Int64

	mutex    sync.Mutex
	requests map[requestKey]int64
	times    map[string]*histogram // by route
}

type requestKey struct {
	route  string
	status int
}

// laneMetrics are those of one lane.
type laneMetrics struct {
	projections, recalled, shared atomic.Int64
	sizes                         histogram
}

func newMetrics(s *Service) *metrics {
	m := &metrics{service: s, requests: map[requestKey]int64{}, times: map[string]*histogram{}}
	for _, lane := range []*laneMetrics{&m.predict, &m.exact} {
		lane.sizes.bounds = []float64{1, 2, 4, 8, 16, 32, 64}
	}
	return m
}

// ran counts a batch.
func (l *laneMetrics) ran(questions int, stats lacuna.Stats) {
	l.sizes.observe(float64(questions))
	l.projections.Add(int64(stats.Projections))
	l.recalled.Add(int64(stats.Recalled))
	l.shared.Add(int64(stats.Shared))
}

// histogram counts values up to each bound.
type histogram struct {
	bounds []float64

	mutex  sync.Mutex
	counts []int64 // of each bound and above
	sum    float64
	total  int64
}

func (h *histogram) observe(value float64) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.counts == nil {
		h.counts = make([]int64, len(h.bounds)+1)
	}
	at, _ := slices.BinarySearch(h.bounds, value)
	h.counts[at]++
	h.sum += value
	h.total++
}

// print writes the histogram; labels is "" or `name="value"`.
func (h *histogram) print(w io.Writer, name, labels string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	separator := ""
	if labels != "" {
		separator = ","
	}
	var below int64
	for i, bound := range h.bounds {
		if h.counts != nil {
			below += h.counts[i]
		}
		fmt.Fprintf(w, "%s_bucket{%s%sle=\"%g\"} %d\n", name, labels, separator, bound, below)
	}
	fmt.Fprintf(w, "%s_bucket{%s%sle=\"+Inf\"} %d\n", name, labels, separator, h.total)
	fmt.Fprintf(w, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, labels, h.sum, name, labels, h.total)
}

// measured counts the requests of a route by status, and times them.
func (s *Service) measured(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		s.metrics.count(route, recorder.status, time.Since(start))
	})
}

// statusRecorder remembers the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (m *metrics) count(route string, status int, took time.Duration) {
	m.mutex.Lock()
	m.requests[requestKey{route, status}]++
	times := m.times[route]
	if times == nil {
		times = &histogram{bounds: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}}
		m.times[route] = times
	}
	m.mutex.Unlock()
	times.observe(took.Seconds())
}

// ServeHTTP prints all metrics.
func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	out := bufio.NewWriter(w)
	defer out.Flush()
	m.printRequests(out)
	m.printLanes(out)
	m.printState(out)
}

func head(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (m *metrics) printRequests(w io.Writer) {
	m.mutex.Lock()
	requests, times := maps.Clone(m.requests), maps.Clone(m.times)
	m.mutex.Unlock()
	keys := slices.SortedFunc(maps.Keys(requests), func(a, b requestKey) int {
		if a.route == b.route {
			return a.status - b.status
		}
		if a.route < b.route {
			return -1
		}
		return 1
	})
	head(w, "lacuna_requests_total", "counter", "Requests by route and status.")
	for _, k := range keys {
		fmt.Fprintf(w, "lacuna_requests_total{route=%s,status=\"%d\"} %d\n", strconv.Quote(k.route), k.status, requests[k])
	}
	head(w, "lacuna_request_seconds", "histogram", "Time of requests by route.")
	for _, route := range slices.Sorted(maps.Keys(times)) {
		times[route].print(w, "lacuna_request_seconds", "route="+strconv.Quote(route))
	}
}

func (m *metrics) printLanes(w io.Writer) {
	lanes := []struct {
		mode string
		*lane
	}{{ModePredict, m.service.predict}, {ModeExact, m.service.exact}}
	for _, row := range []struct {
		name, kind, help string
		value            func(*lane) int64
	}{
		{"lacuna_questions_waiting", "gauge", "Questions in the queue.", func(l *lane) int64 { n, _ := l.queue.state(); return int64(n) }},
		{"lacuna_questions_dropped_total", "counter", "Questions whose client left before they ran.", func(l *lane) int64 { return l.queue.left() }},
		{"lacuna_projections_computed_total", "counter", "Relation steps computed.", func(l *lane) int64 { return l.metrics.projections.Load() }},
		{"lacuna_projections_recalled_total", "counter", "Relation steps found in the cache.", func(l *lane) int64 { return l.metrics.recalled.Load() }},
		{"lacuna_projections_shared_total", "counter", "Relation steps that another question of the batch computed.", func(l *lane) int64 { return l.metrics.shared.Load() }},
	} {
		head(w, row.name, row.kind, row.help)
		for _, lane := range lanes {
			fmt.Fprintf(w, "%s{mode=%q} %d\n", row.name, lane.mode, row.value(lane.lane))
		}
	}
	head(w, "lacuna_batch_questions", "histogram", "Questions that ran together.")
	for _, lane := range lanes {
		lane.metrics.sizes.print(w, "lacuna_batch_questions", fmt.Sprintf("mode=%q", lane.mode))
	}
}

func (m *metrics) printState(w io.Writer) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	graph := m.service.Info().Graph
	rows := []struct {
		name, kind, help string
		value            float64
	}{
		{"lacuna_graph_entities", "gauge", "Entities of the graph.", float64(graph.Entities)},
		{"lacuna_graph_triples", "gauge", "Facts of the graph.", float64(graph.Triples)},
		{"lacuna_graph_version", "gauge", "Version of the graph.", float64(graph.Version)},
		{"lacuna_requests_working", "gauge", "Requests at work.", float64(m.service.working.Load())},
		{"lacuna_panics_total", "counter", "Requests that panicked.", float64(m.panics.Load())},
		{"go_goroutines", "gauge", "Goroutines.", float64(runtime.NumGoroutine())},
		{"go_memstats_heap_alloc_bytes", "gauge", "Heap in use.", float64(memory.HeapAlloc)},
		{"go_memstats_sys_bytes", "gauge", "Memory obtained from the system.", float64(memory.Sys)},
		{"process_resident_memory_bytes", "gauge", "Memory resident; 0 where the system does not tell.", resident()},
		{"process_cpu_seconds_total", "counter", "Processor time; 0 where the system does not tell.", processorTime()},
	}
	for _, r := range rows {
		head(w, r.name, r.kind, r.help)
		fmt.Fprintf(w, "%s %g\n", r.name, r.value)
	}
	if m.service.cache != nil {
		printCache(w, m.service.cache.Stats())
	}
	if j := m.service.options.Journal; j != nil {
		head(w, "lacuna_journal_bytes", "gauge", "Length of the journal of facts.")
		fmt.Fprintf(w, "lacuna_journal_bytes %d\n", j.Bytes())
	}
}

func printCache(w io.Writer, stats lacuna.CacheStats) {
	head(w, "lacuna_cache_bytes", "gauge", "Predictions remembered.")
	fmt.Fprintf(w, "lacuna_cache_bytes %d\n", stats.Bytes)
	head(w, "lacuna_cache_lookups_total", "counter", "Lookups in the cache.")
	fmt.Fprintf(w, "lacuna_cache_lookups_total{found=\"true\"} %d\nlacuna_cache_lookups_total{found=\"false\"} %d\n", stats.Hits, stats.Misses)
	head(w, "lacuna_cache_evicted_total", "counter", "Predictions that made room for others.")
	fmt.Fprintf(w, "lacuna_cache_evicted_total %d\n", stats.Evicted)
}

// resident is the process's memory as Linux counts it.
func resident() float64 {
	var total, pages int64
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	if _, err := fmt.Sscan(string(data), &total, &pages); err != nil {
		return 0
	}
	return float64(pages) * float64(os.Getpagesize())
}

// processorTime is that of the process in seconds, as Linux counts it: user and
// system time in hundredths, the 12th and 13th number after the command in parentheses.
func processorTime() float64 {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}
