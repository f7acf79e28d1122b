package train

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// RunTrace is what a run of training left to compare it by.
type RunTrace struct {
	Name  string
	Lines []Line
	// Settings is the configuration as JSON gives it; nil where only the trace is known.
	Settings map[string]any
}

// ReadRun reads a training folder, or a trace alone.
func ReadRun(path string) (RunTrace, error) {
	r := RunTrace{Name: filepath.Base(filepath.Clean(path))}
	trace := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		trace = filepath.Join(path, traceFile)
		config, err := SavedConfig(path)
		switch {
		case err == nil:
			text, _ := json.Marshal(config) // plain numbers and strings
			json.Unmarshal(text, &r.Settings)
		case kg.KindOf(err) != kg.NotFound: // a folder may have kept its trace alone
			return r, err
		}
	}
	data, err := os.ReadFile(trace)
	if err != nil {
		return r, kg.Errorf(kg.NotFound, path, "expected a training folder or its %s", traceFile)
	}
	number := 0
	for text := range bytes.Lines(data) {
		number++
		var line Line
		if err := json.Unmarshal(text, &line); err != nil {
			return r, kg.Errorf(kg.Invalid, path, "line %d: expected a line of a trace: %v", number, err)
		}
		r.Lines = append(r.Lines, line)
	}
	return r, nil
}

// values are those of a metric over the steps: "loss", "mrr", or a detail of validation
// such as "1p_mrr" or "train_mrr".
func (r RunTrace) values(metric string) []Point {
	var points []Point
	for _, line := range r.Lines {
		switch {
		case line.Loss != nil && metric == "loss":
			points = append(points, Point{float64(line.Step), *line.Loss})
		case line.Valid != nil && metric == "mrr":
			points = append(points, Point{float64(line.Step), line.Valid.MRR})
		case line.Valid != nil:
			if value, ok := line.Valid.Details[metric]; ok {
				points = append(points, Point{float64(line.Step), value})
			}
		}
	}
	return points
}

// best is the value of a metric at the validation of the highest MRR, whose model is kept.
func (r RunTrace) best(metric string) (value float64, ok bool) {
	scores := r.values("mrr")
	if len(scores) == 0 {
		return 0, false
	}
	top := slices.MaxFunc(scores, func(a, b Point) int { return cmp.Compare(a.Y, b.Y) })
	for _, p := range r.values(metric) {
		if p.X == top.X {
			return p.Y, true
		}
	}
	return 0, false
}

// setting is a value of the configuration by its path, such as "model.gnn".
func (r RunTrace) setting(path string) (any, bool) {
	var value any = r.Settings
	for key := range strings.SplitSeq(path, ".") {
		within, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = within[key]; !ok {
			return nil, false
		}
	}
	return value, true
}

// nameOf puts metrics into words; details of validation stand for themselves.
func nameOf(metrics ...string) string {
	names := slices.Clone(metrics)
	for i, metric := range metrics {
		switch metric {
		case "mrr":
			names[i] = "validation MRR"
		case "train_mrr":
			names[i] = "training MRR"
		}
	}
	return strings.Join(names, ", ")
}

// OverSteps compares runs step by step, a line for each run and metric.
func OverSteps(runs []RunTrace, metrics []string) (Figure, error) {
	f := Figure{X: "step", Y: nameOf(metrics...)}
	for _, r := range runs {
		for _, metric := range metrics {
			points := r.values(metric)
			if len(points) == 0 {
				return f, kg.Errorf(kg.NotFound, r.Name, "the run has no values of %q", metric)
			}
			name := r.Name
			if len(metrics) > 1 {
				name += ": " + nameOf(metric)
			}
			f.Series = append(f.Series, Series{name, points})
		}
	}
	return f, nil
}

// OverSetting compares the best models of runs by a setting in which they differ, a
// line for each metric. Settings that are no numbers stand in the order of the runs.
func OverSetting(runs []RunTrace, setting string, metrics []string) (Figure, error) {
	f := Figure{X: setting, Y: nameOf(metrics...)}
	places := make([]float64, len(runs))
	for i, r := range runs {
		value, ok := r.setting(setting)
		if !ok {
			return f, kg.Errorf(kg.NotFound, r.Name, "the run's configuration has no setting %q (a training folder with its state is needed, not a trace alone)", setting)
		}
		number, isNumber := value.(float64)
		if !isNumber {
			text, _ := json.Marshal(value)
			f.Categories = append(f.Categories, strings.Trim(string(text), `"`))
			number = float64(i)
		}
		places[i] = number
	}
	if len(f.Categories) > 0 && len(f.Categories) < len(runs) {
		return f, kg.Errorf(kg.Invalid, setting, "some runs have a number and some have none")
	}
	for _, metric := range metrics {
		s := Series{Name: nameOf(metric)}
		for i, r := range runs {
			value, ok := r.best(metric)
			if !ok {
				return f, kg.Errorf(kg.NotFound, r.Name, "the run has no values of %q", metric)
			}
			s.Points = append(s.Points, Point{places[i], value})
		}
		slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		f.Series = append(f.Series, s)
	}
	return f, nil
}
