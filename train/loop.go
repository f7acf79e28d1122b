package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// trainer is a run of training: the learner, where it stands and what it writes.
type trainer struct {
	Options
	*learner
	topologies []*kernel.Graph
	described  checkpoint.Graph // of the card
	feed       *feed
	trace      *trace
	record     record
	clock      clock
	stats      Stats
}

// clock is the time of this call.
type clock struct {
	began      time.Time
	before     float64 // seconds of training before a resume
	saved      time.Time
	validation time.Duration // how long the last one took
}

func (t *trainer) seconds() float64 { return t.clock.before + time.Since(t.clock.began).Seconds() }

// loop trains to the end. The state is saved only between the end of a step with its
// validation and the beginning of the next, so that what a resumed run repeats, it repeats exactly.
func (t *trainer) loop(ctx context.Context) (Result, error) {
	t.feed.start(ctx, t.record.Step+1, parallel.Ahead(t.Device.Memory() == 0))
	defer t.feed.close()
	reason, err := t.steps(ctx)
	verdict, byPeer := endedBy(err)
	stopped, lost := ctx.Err() != nil || verdict == ranks.Stopped, verdict == ranks.Failed
	if err != nil && !stopped && !byPeer {
		return t.result(Failed), err
	}
	if err := t.Team.TakeTime(context.WithoutCancel(ctx), func(context.Context) error { return t.finish(stopped || lost) }); err != nil {
		return t.result(Failed), err
	}
	switch {
	case lost:
		return t.result(Failed), fmt.Errorf("%w; the run can be resumed from step %d", err, t.record.Step)
	case stopped:
		return t.result(Stopped), kg.Errorf(kg.Cancelled, t.Dir, "stopped after step %d of %d: %v; the run can be resumed", t.record.Step, t.Config.Steps, firstOf(context.Cause(ctx), err))
	}
	return t.result(reason), nil
}

func (t *trainer) steps(ctx context.Context) (Reason, error) {
	if err := t.validateStart(ctx); err != nil {
		return Failed, err
	}
	for {
		if t.Config.validatesAt(t.record.Step) {
			if err := t.validate(ctx); err != nil {
				return Failed, err
			}
		}
		switch {
		case t.record.Step >= t.Config.Steps:
			return Finished, nil
		case t.timeUp():
			if err := t.endAll(ctx); err != nil {
				return Failed, err
			}
			return TimeUp, t.validate(ctx)
		case t.Team.Leads() && time.Since(t.clock.saved) >= t.saveEvery():
			if err := t.Team.TakeTime(ctx, func(context.Context) error { return t.save() }); err != nil {
				return Failed, err
			}
		}
		err := t.oneStep(ctx)
		if verdict, _ := endedBy(err); verdict == ranks.Finished { // rank 0's time is up
			return TimeUp, t.validate(ctx)
		}
		if err != nil {
			return Failed, err
		}
	}
}

// timeUp tells whether another step, and the validation that would follow it, would end too late.
func (t *trainer) timeUp() bool {
	if t.MaxTime == 0 || !t.Team.Leads() {
		return false
	}
	next := t.clock.validation
	if t.stats.Steps > 0 {
		next += t.stats.Training / time.Duration(t.stats.Steps)
	}
	return time.Since(t.clock.began)+next > t.MaxTime
}

func (t *trainer) oneStep(ctx context.Context) error {
	began := time.Now()
	b, err := t.feed.next(ctx)
	if err != nil {
		return err
	}
	t.stats.Waiting += time.Since(began)
	loss, err := t.learner.step(ctx, b)
	if err != nil {
		return err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return kg.Errorf(kg.Failure, t.Dir, "the loss is %v at step %d: training diverged; the last saved model is kept (try a lower learning_rate)", loss, b.step)
	}
	t.stats.Steps++
	t.stats.Queries += b.size
	t.stats.Preparing += b.took
	t.stats.Training += time.Since(began)
	t.record.Step = b.step
	t.record.Interval.add(loss, t.graphName(b.graph))
	if err := t.traceStep(); err != nil {
		return err
	}
	t.report(Progress{Loss: loss, Graph: t.Graphs[b.graph].Name})
	return nil
}

// validate measures the model, unless it was measured as it is, and keeps it if it is the best so far.
func (t *trainer) validate(ctx context.Context) error {
	if !validates(t.Graphs) || t.record.Validated == t.record.Step {
		return nil
	}
	if !t.Team.Leads() {
		return t.assist(ctx)
	}
	return t.Team.TakeTime(ctx, t.measure)
}

func (t *trainer) measure(ctx context.Context) error {
	began := time.Now()
	score, err := t.validated(ctx)
	if err != nil {
		return err
	}
	t.clock.validation = time.Since(began)
	t.stats.Validating += t.clock.validation
	t.record.Validated, t.record.Last = t.record.Step, &score
	if !t.record.measured() || score.MRR > t.record.Best.MRR {
		t.record.Best, t.record.BestStep = score, t.record.Step
		if err := t.saveBest(); err != nil {
			return err
		}
	}
	if err := t.trace.validation(t.record.Step, t.seconds(), score); err != nil {
		return err
	}
	t.report(Progress{Loss: t.record.Loss, Score: &score})
	return t.save()
}

// validateStart measures the model that the run begins with: it is the best until one does better, so that
// training never ends with less.
func (t *trainer) validateStart(ctx context.Context) error {
	if t.record.From == "" || t.record.Step > 0 || t.record.Start != nil || !validates(t.Graphs) {
		return nil
	}
	if !t.Team.Leads() {
		return t.assist(ctx)
	}
	return t.Team.TakeTime(ctx, t.measureStart)
}

func (t *trainer) measureStart(ctx context.Context) error {
	began := time.Now()
	score, err := t.validated(ctx)
	if err != nil {
		return err
	}
	t.clock.validation = time.Since(began)
	t.stats.Validating += t.clock.validation
	t.record.Start, t.record.Best = &score, score
	if err := t.saveBest(); err != nil {
		return err
	}
	if err := t.trace.validation(0, t.seconds(), score); err != nil {
		return err
	}
	t.report(Progress{Score: &score})
	return t.save()
}

// validated measures the model as it would be saved.
func (t *trainer) validated(ctx context.Context) (Score, error) {
	restore := t.average.swap(t.model)
	defer restore()
	score, err := validate(ctx, t.Graphs, t.model, t.places)
	if err == nil {
		err = ctx.Err() // a validation cut short may have seen a part of its queries
	}
	return score, err
}

// graphName is what the trace calls a graph; where there is but one it needs no name, and
// the parts of one share theirs.
func (t *trainer) graphName(graph int) string {
	switch g := t.Graphs[graph]; {
	case len(t.Graphs) == 1:
		return ""
	case g.PartOf != "":
		return g.PartOf + " parts"
	default:
		return g.Name
	}
}

// finish leaves the folder in order: state, models, curve. Where nothing was validated the
// last model counts as the best, but only once the run is at its end. Of a team rank 0 does it.
func (t *trainer) finish(stopped bool) error {
	if !t.Team.Leads() {
		return nil
	}
	err := t.save()
	if err == nil && !t.record.measured() && !stopped {
		err = t.saveBest()
	}
	return errors.Join(err, t.trace.draw(t.Dir))
}

func (t *trainer) report(p Progress) {
	if t.Progress == nil {
		return
	}
	p.Step, p.Steps = t.record.Step, t.Config.Steps
	if seconds := t.stats.Training.Seconds(); seconds > 0 {
		p.QueriesPerSecond = float64(t.stats.Queries) / seconds
	}
	p.Left = t.left()
	t.Progress(p)
}

// left is the time that the remaining steps will take, or what is left of MaxTime if that is less.
func (t *trainer) left() time.Duration {
	if t.stats.Steps == 0 {
		return t.MaxTime
	}
	left := time.Duration(t.Config.Steps-t.record.Step) * (time.Since(t.clock.began) / time.Duration(t.stats.Steps))
	if t.MaxTime > 0 {
		left = min(left, max(0, t.MaxTime-time.Since(t.clock.began)))
	}
	return left
}

func (t *trainer) result(reason Reason) Result {
	return Result{Reason: reason, Step: t.record.Step, Loss: t.record.loss(), Start: t.record.Start, Best: t.record.Best, BestStep: t.record.BestStep, Stats: t.stats}
}
