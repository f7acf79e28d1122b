package server

import (
	"bufio"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/journal"
)

func someLaneMetrics() *laneMetrics {
	m := newLaneMetrics(prometheus.NewRegistry(), prometheus.NewCounter(prometheus.CounterOpts{}), modeExact)
	return &m
}

// value is what a counter, or the number of values that a histogram, counted.
func value(t *testing.T, m prometheus.Metric) float64 {
	t.Helper()
	var out dto.Metric
	if err := m.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.GetCounter().GetValue() + float64(out.GetHistogram().GetSampleCount())
}

var sampleLine = regexp.MustCompile(`^([a-z_]+)(\{([a-z]+="[^"]*",?)*\})? (\S+)$`)

// TestMetricsFormat reads the metrics as Prometheus does: every sample after the
// help and type of its name, buckets that only grow, and counts that are right.
func TestMetricsFormat(t *testing.T) {
	base := serve(t, demo(t, Limits{}, func(o *Options) { o.Facts = &journal.Opened{Log: &memoryJournal{}} })).URL
	for range 3 {
		body, _ := json.Marshal(AskRequest{Question: DemoQuestions[0].Question, By: string(lacuna.Sets)})
		call(t, "POST", base+"/api/ask", string(body))
	}
	call(t, "POST", base+"/api/ask", ask("?"))
	_, text := call(t, "GET", base+"/metrics", "")
	kinds, values := map[string]string{}, map[string]float64{}
	last := 0.0
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); fields[0] == "#" {
			if fields[1] == "TYPE" {
				kinds[fields[2]] = fields[3]
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(lines.Text())
		if m == nil {
			t.Fatalf("not a sample: %q", lines.Text())
		}
		name := m[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if short, is := strings.CutSuffix(name, suffix); is && (kinds[short] == "histogram" || kinds[short] == "summary" && suffix != "_bucket") {
				name = short
			}
		}
		value, err := strconv.ParseFloat(m[4], 64)
		if err != nil || kinds[name] == "" {
			t.Errorf("%q: %v, type %q", lines.Text(), err, kinds[name])
		}
		if strings.Contains(m[2], `le="`) && !strings.Contains(m[2], `le="0.001"`) && !strings.Contains(m[2], `le="1"`) && value < last {
			t.Errorf("%q: less than in the bucket before", lines.Text())
		}
		last = value
		values[m[1]+m[2]] = value
	}
	for name, want := range map[string]float64{
		`lacuna_requests_total{route="/api/ask",status="200"}`: 3,
		`lacuna_requests_total{route="/api/ask",status="400"}`: 1,
		`lacuna_projections_computed_total{mode="predict"}`:    3,
		`lacuna_projections_recalled_total{mode="predict"}`:    6,
		`lacuna_graph_entities`:                                787,
		`lacuna_panics_total`:                                  0,
		`lacuna_batch_questions_count{mode="predict"}`:         3,
	} {
		if got, there := values[name]; !there || got != want {
			t.Errorf("%s is %v (there: %v), want %v", name, got, there, want)
		}
	}
}
