package server

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// monitoring is the folder with the dashboard and the alerts.
const monitoring = "../deploy/monitoring"

// metricName finds names of metrics in expressions of Prometheus.
var metricName = regexp.MustCompile(`\b(lacuna|go|process)_[a-z_]+\b`)

// TestMonitoringNamesMetrics holds dashboard and alerts to the metrics that servers have: every name is one of theirs,
// and every metric of Lacuna's own is on the dashboard.
func TestMonitoringNamesMetrics(t *testing.T) {
	there := describedMetrics(t)
	shown := map[string]bool{}
	for _, file := range []string{"dashboard.json", "alerts.yaml", "alerts.test.yaml"} {
		text, err := os.ReadFile(filepath.Join(monitoring, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range metricName.FindAllString(string(text), -1) {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if base := strings.TrimSuffix(name, suffix); there[base] {
					name = base
				}
			}
			if !there[name] {
				t.Errorf("%s: there is no metric %s", file, name)
			}
			shown[name] = shown[name] || file == "dashboard.json"
		}
	}
	for name := range there {
		if strings.HasPrefix(name, "lacuna_") && !shown[name] {
			t.Errorf("%s is not on the dashboard", name)
		}
	}
}

// describedMetrics are the names of all metrics that a server may have: with a cache, durable, and with a log that others share.
func describedMetrics(t *testing.T) map[string]bool {
	t.Helper()
	s := demo(t, Limits{}, func(*Options) {})
	m := newMetrics()
	m.watch(s)
	figures{m.registry}.watchLog(&follower{service: s})
	figures{m.registry}.gauge("lacuna_journal_bytes", "", nil)
	descriptions := make(chan *prometheus.Desc)
	go func() {
		m.registry.Describe(descriptions)
		close(descriptions)
	}()
	names := map[string]bool{}
	fullName := regexp.MustCompile(`fqName: "([a-z_]+)"`)
	for d := range descriptions {
		if found := fullName.FindStringSubmatch(d.String()); found != nil {
			names[found[1]] = true
		}
	}
	if !names["lacuna_log_lag_seconds"] || !names["lacuna_cache_bytes"] || !names["process_resident_memory_bytes"] {
		t.Fatalf("not all metrics are described: %v", names)
	}
	return names
}

// dashboard is what the test reads of Grafana's file.
type dashboard struct {
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// TestMonitoringIsSound has Prometheus' own tool check the alerts, try them on series, and parse the expressions of the dashboard.
func TestMonitoringIsSound(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(monitoring, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("no promtool (apt-get install prometheus): alerts and dashboard are not checked by it")
	}
	rules := "groups:\n- name: dashboard\n  rules:\n"
	for p, panel := range d.Panels {
		for i, target := range panel.Targets {
			expr, _ := json.Marshal(strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
			rules += fmt.Sprintf("  - {record: 'panel_%d:target_%d', expr: %s}\n", p, i, expr)
		}
	}
	file := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(file, []byte(rules), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "rules", file}, {"check", "rules", filepath.Join(monitoring, "alerts.yaml")}, {"test", "rules", filepath.Join(monitoring, "alerts.test.yaml")},
	} {
		if out, err := exec.Command("promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
