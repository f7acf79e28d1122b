package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/lacuna-kg/lacuna"
)

// metrics counts what the service does. The registry is the service's own, so that
// several services of a process do not meet.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by route and status
	times    *prometheus.HistogramVec // by route
	panics   prometheus.Counter
	predict  laneMetrics
	exact    laneMetrics
}

// laneMetrics are those of one lane.
type laneMetrics struct {
	panics                        prometheus.Counter // of all
	projections, recalled, shared prometheus.Counter
	sizes                         prometheus.Histogram
}

var (
	timeBounds  = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30} // seconds
	batchBounds = []float64{1, 2, 4, 8, 16, 32, 64}                                            // questions
)

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	with := promauto.With(registry)
	panics := with.NewCounter(prometheus.CounterOpts{Name: "lacuna_panics_total", Help: "Requests that panicked."})
	return &metrics{
		registry: registry,
		requests: with.NewCounterVec(prometheus.CounterOpts{Name: "lacuna_requests_total", Help: "Requests by route and status."}, []string{"route", "status"}),
		times:    with.NewHistogramVec(prometheus.HistogramOpts{Name: "lacuna_request_seconds", Help: "Time of requests by route.", Buckets: timeBounds}, []string{"route"}),
		panics:   panics,
		predict:  newLaneMetrics(registry, panics, modePredict),
		exact:    newLaneMetrics(registry, panics, modeExact),
	}
}

func newLaneMetrics(registry prometheus.Registerer, panics prometheus.Counter, mode string) laneMetrics {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"mode": mode}, registry))
	return laneMetrics{
		panics:      panics,
		projections: with.NewCounter(prometheus.CounterOpts{Name: "lacuna_projections_computed_total", Help: "Relation steps computed."}),
		recalled:    with.NewCounter(prometheus.CounterOpts{Name: "lacuna_projections_recalled_total", Help: "Relation steps found in the cache."}),
		shared:      with.NewCounter(prometheus.CounterOpts{Name: "lacuna_projections_shared_total", Help: "Relation steps that another question of the batch computed."}),
		sizes:       with.NewHistogram(prometheus.HistogramOpts{Name: "lacuna_batch_questions", Help: "Questions that ran together.", Buckets: batchBounds}),
	}
}

// ran counts a batch.
func (l *laneMetrics) ran(questions int, stats lacuna.Stats) {
	l.sizes.Observe(float64(questions))
	l.projections.Add(float64(stats.Projections))
	l.recalled.Add(float64(stats.Recalled))
	l.shared.Add(float64(stats.Shared))
}

// watch adds the figures that are read off the service when somebody asks for them.
func (m *metrics) watch(s *Service) {
	figures := figures{m.registry}
	figures.gauge("lacuna_graph_entities", "Entities of the graph.", func() int64 { return int64(s.Summary().Graph.Entities) })
	figures.gauge("lacuna_graph_triples", "Facts of the graph.", func() int64 { return int64(s.Summary().Graph.Triples) })
	figures.gauge("lacuna_graph_version", "Version of the graph.", func() int64 { return int64(s.Summary().Graph.Version) })
	figures.gauge("lacuna_requests_working", "Requests at work.", s.working.Load)
	for mode, l := range map[string]*lane{modePredict: s.predict, modeExact: s.exact} {
		of := figures.labelled("mode", mode)
		of.gauge("lacuna_questions_waiting", "Questions in the queue.", func() int64 { n, _ := l.queue.state(); return int64(n) })
		of.counter("lacuna_questions_dropped_total", "Questions whose client left before they ran.", l.queue.left)
	}
	if s.cache != nil {
		figures.watchCache(s.cache)
	}
	if s.follower != nil {
		figures.watchLog(s.follower)
	}
	if s.durable {
		figures.gauge("lacuna_journal_bytes", "Length of the journal of facts.", func() int64 { return s.journal.Head().Bytes })
	}
}

// watchLog shows how level the server is with a log that others append to.
func (f figures) watchLog(follower *follower) {
	log := follower.service.journal
	f.gauge("lacuna_log_version", "Last entry of the shared log of facts, as it was seen last.", func() int64 { return int64(log.Head().Version) })
	f.gauge("lacuna_log_lag_entries", "Entries of the log that are not yet in the graph.", func() int64 { entries, _ := follower.lag(); return entries })
	f.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "lacuna_log_lag_seconds", Help: "For how long the graph has been behind the log."},
		func() float64 { _, lasting := follower.lag(); return lasting.Seconds() }))
	f.gauge("lacuna_log_reachable", "Whether the log was reached at the last attempt.", func() int64 {
		if log.Head().Err != nil {
			return 0
		}
		return 1
	})
	f.counter("lacuna_log_rebuilds_total", "Times that the graph was rebuilt from the log.", follower.rebuilds.Load)
}

// figures are metrics whose values are asked for.
type figures struct{ registry prometheus.Registerer }

func (f figures) watchCache(cache *lacuna.Cache) {
	f.gauge("lacuna_cache_bytes", "Predictions remembered.", func() int64 { return cache.Stats().Bytes })
	f.counter("lacuna_cache_evicted_total", "Predictions that made room for others.", func() uint64 { return cache.Stats().Evicted })
	const lookups, help = "lacuna_cache_lookups_total", "Lookups in the cache."
	f.labelled("found", "true").counter(lookups, help, func() uint64 { return cache.Stats().Hits })
	f.labelled("found", "false").counter(lookups, help, func() uint64 { return cache.Stats().Misses })
}

func (f figures) labelled(name, value string) figures {
	return figures{prometheus.WrapRegistererWith(prometheus.Labels{name: value}, f.registry)}
}

func (f figures) gauge(name, help string, value func() int64) {
	f.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

func (f figures) counter(name, help string, value func() uint64) {
	f.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

// handler prints all metrics in the formats of Prometheus.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// measured counts the requests of a route by status, and times them.
func (s *Service) measured(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		s.metrics.requests.WithLabelValues(route, strconv.Itoa(recorder.status)).Inc()
		s.metrics.times.WithLabelValues(route).Observe(time.Since(start).Seconds())
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
