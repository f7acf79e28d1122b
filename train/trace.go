package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/checkpoint"
)

// traceFile holds a line of JSON for every interval of steps and every validation.
const traceFile = "trace.jsonl"

// Line is one line of the trace.
type Line struct {
	Step    int     `json:"step"`
	Seconds float64 `json:"seconds"` // of training so far, those before a resume included
	// Of an interval:
	Loss             *float64           `json:"loss,omitempty"`   // mean over its steps
	Losses           map[string]float64 `json:"losses,omitempty"` // the same by graph, where there are several
	QueriesPerSecond float64            `json:"queries_per_second,omitempty"`
	PreparingMS      float64            `json:"preparing_ms,omitempty"` // per step and core, beside the training
	WaitingMS        float64            `json:"waiting_ms,omitempty"`   // per step, for its preparation
	TrainingMS       float64            `json:"training_ms,omitempty"`  // per step, waiting included
	// Of a validation:
	Valid *Score `json:"valid,omitempty"`
}

// interval collects the losses of the steps since the last line. It is part of the
// state, so that the losses in the trace of a resumed run are those of an uninterrupted one.
type interval struct {
	Steps  int                 `json:"steps"`
	Sum    float64             `json:"sum"`
	Graphs map[string]interval `json:"graphs,omitempty"` // where there are several
}

// add counts the loss of a step, also for its graph if that is named.
func (i *interval) add(loss float64, graph string) {
	i.Steps++
	i.Sum += loss
	if graph == "" {
		return
	}
	if i.Graphs == nil {
		i.Graphs = map[string]interval{}
	}
	of := i.Graphs[graph]
	of.add(loss, "")
	i.Graphs[graph] = of
}

func (i interval) mean() float64 { return i.Sum / float64(i.Steps) }

// means are those of the graphs.
func (i interval) means() map[string]float64 {
	if i.Graphs == nil {
		return nil
	}
	means := map[string]float64{}
	for graph, of := range i.Graphs {
		means[graph] = of.mean()
	}
	return means
}

// trace writes the lines of a run and holds them for the curve.
type trace struct {
	file  *os.File
	lines []Line
	stats Stats // at the last line
}

// openTrace begins the trace of a run, or goes on with it after a step: lines that a
// killed run wrote beyond its last saved state are dropped, as they will come again.
func openTrace(dir string, step int) (*trace, error) {
	path := filepath.Join(dir, traceFile)
	t := &trace{}
	var kept bytes.Buffer
	if step > 0 {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for text := range bytes.Lines(data) {
			var line Line
			if json.Unmarshal(text, &line) == nil && line.Step <= step {
				t.lines = append(t.lines, line)
				kept.Write(text)
			}
		}
	}
	if err := checkpoint.WriteFile(path, kept.Bytes()); err != nil {
		return nil, err
	}
	var err error
	t.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return t, err
}

func (t *trace) write(line Line) error {
	t.lines = append(t.lines, line)
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := t.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("the trace: %w", err)
	}
	return nil
}

func (t *trace) validation(step int, seconds float64, score Score) error {
	return t.write(Line{Step: step, Seconds: seconds, Valid: &score})
}

func (t *trace) close() error { return t.file.Close() }

// draw writes the curve of the run.
func (t *trace) draw(dir string) error {
	return checkpoint.WriteFile(filepath.Join(dir, curveFile), drawCurve(t.lines))
}

// traceStep writes the line of an interval at its end.
func (t *trainer) traceStep() error {
	if !t.Team.Leads() {
		return nil
	}
	if t.record.Step%t.traceEvery() != 0 && t.record.Step != t.Config.Steps {
		return nil
	}
	i := t.record.Interval
	t.record.Interval = interval{}
	loss := i.mean()
	t.record.Loss = loss
	line := Line{Step: t.record.Step, Seconds: t.seconds(), Loss: &loss, Losses: i.means()}
	since := Stats{
		Steps: t.stats.Steps - t.trace.stats.Steps, Queries: t.stats.Queries - t.trace.stats.Queries,
		Training: t.stats.Training - t.trace.stats.Training, Preparing: t.stats.Preparing - t.trace.stats.Preparing,
		Waiting: t.stats.Waiting - t.trace.stats.Waiting,
	}
	if since.Steps > 0 && since.Training > 0 {
		line.QueriesPerSecond = float64(since.Queries) / since.Training.Seconds()
		line.TrainingMS = 1e3 * since.Training.Seconds() / float64(since.Steps)
		line.WaitingMS = 1e3 * since.Waiting.Seconds() / float64(since.Steps)
		line.PreparingMS = 1e3 * since.Preparing.Seconds() / float64(since.Steps)
	}
	t.trace.stats = t.stats
	return t.trace.write(line)
}
