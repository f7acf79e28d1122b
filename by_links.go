package lacuna

import (
	"cmp"
	"context"
	"sync"

	"github.com/lacuna-kg/lacuna/coverage"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/plan"
)

// LinkOptions say how far an engine looks when it answers by Links. The zero value is a good default.
type LinkOptions struct {
	Follow links.Follow // which members of a set a step follows; by default as many as suit the device, or the file
	// Ends is how many links of a step are read from both ends, below 0 for none. 0 is none too but for Evaluate, where it is
	// links.EndsOn the graph and the device if probabilities are fitted and no file has the rows.
	Ends int
	Rows links.Options // how rows are made and kept
	File string        // rows made beforehand (links.WriteFile) of this graph and model; "" for none
}

// Linking is how the engine answers by Links.
func Linking(o LinkOptions) Option {
	return openOption(func(to *opening) error { to.linking = o; return o.Rows.Map.Check() })
}

// linked is a model on a graph by its links: the rows that all questions share.
type linked struct {
	predictor   *neural.Predictor
	options     LinkOptions
	calibration *calibration
	file        *links.File // nil without

	ranges *links.Ranges // of what is predicted by sets

	guarding sync.Mutex
	sets     *coverage.Sets // nil before the first question with a Coverage

	mutex sync.Mutex
	rows  *links.Rows // nil before the first question
	// executors run without numbers and dates among what is predicted, and with them
	executors map[bool]links.Executor
}

// on puts the options to work. Nothing is computed before a question comes.
func (o LinkOptions) on(p *neural.Predictor, c *calibration) (*linked, error) {
	l, usual := &linked{predictor: p, options: o, calibration: c, ranges: links.NewRanges(p.Graph, false)}, links.FollowOn(p.Model.Network.Device())
	var err error
	switch {
	case o.File != "":
		if l.file, err = openLinks(o.File, p); err == nil {
			err = c.takeFrom(l.file, o.File, p)
		}
		l.options.Rows.File, usual = l.file, links.FollowInFile
	case c.options.File != "" && !c.done:
		c.fitted, err = fit.ReadFile(c.options.File, p)
		c.done = true
	}
	if err != nil {
		l.close()
		return nil, err
	}
	l.options.Rows.Bytes = cmp.Or(o.Rows.Bytes, links.BytesOn(p.Model.Network.Device()))
	l.options.Follow.Most = cmp.Or(o.Follow.Most, usual)
	l.options.Follow.Lacking = cmp.Or(o.Follow.Lacking, links.LackingOn(p.Model.Network.Device()))
	return l, nil
}

// ready gives the executor, which may predict numbers and dates. The first to ask waits until probabilities are fitted to the graph; rows that were made
// beforehand have theirs.
func (l *linked) ready(ctx context.Context, literals bool) (links.Executor, error) {
	rows := l.options.Rows
	if l.file == nil && rows.Map == nil {
		fitted, err := l.calibration.of(ctx, l.predictor)
		if err != nil {
			return links.Executor{}, err
		}
		rows.Map = fitted.Map
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.rows == nil {
		l.rows, l.executors = links.New(l.predictor.Graph, l.predictor, rows), map[bool]links.Executor{}
	}
	executor, found := l.executors[literals]
	if !found {
		rows := l.rows
		if literals {
			rows = rows.WithLiterals()
		}
		executor = links.NewExecutor(rows, l.options.Follow)
		l.executors[literals] = executor
	}
	return executor, nil
}

// ranking gives the executor that puts all entities in the best order, however unlikely; numbers and dates are among them.
func (l *linked) ranking(ctx context.Context) (links.Executor, error) {
	executor, err := l.ready(ctx, true)
	if err != nil {
		return executor, err
	}
	ends := l.options.Ends
	if ends == 0 && l.file == nil && executor.Rows().Map().Fitted() {
		ends = links.EndsOn(l.predictor.Graph, l.predictor.Model.Network.Device())
	}
	executor = executor.FromBothEnds(ends)
	return executor.Ranking().PartingTies().Jointly(), nil
}

// LinkMap gives the map that makes the probabilities of links, by which the engine answers. It is fitted at the first
// call of this or of a question.
func (e *Engine) LinkMap(ctx context.Context) (links.Map, error) {
	rows, err := e.fittedRows(ctx)
	if err != nil {
		return nil, err
	}
	return rows.Map(), nil
}

func (e *Engine) fittedRows(ctx context.Context) (*links.Rows, error) {
	if e.links == nil {
		return nil, kg.Errorf(kg.Invalid, "", "plain traversal has no link probabilities: expected a model")
	}
	executor, err := e.links.ready(ctx, false)
	return executor.Rows(), err
}

// FitLinks makes the probabilities of links hold on the engine's graph and writes a file for CalibrationOptions.File. It fits
// them to how.Held, true facts that the graph does not state, or else to a share of its own that it hides. Without a
// file ("") it only reports.
func (e *Engine) FitLinks(ctx context.Context, file string, how fit.Options) (*fit.Report, error) {
	model, err := e.own("calibrate: plain traversal has no probabilities to calibrate")
	if err != nil {
		return nil, err
	}
	hash, err := model.Hash()
	if err != nil {
		return nil, err
	}
	how.Graph, how.Model = e.Graph, model
	f := fit.File{Graph: links.GraphHash(e.Graph), Model: hash, Name: model.Name}
	if f.Map, f.Report, err = fit.Run(ctx, how); err != nil || file == "" {
		return f.Report, err
	}
	return f.Report, f.Write(file)
}

func openLinks(path string, p *neural.Predictor) (*links.File, error) {
	file, err := links.OpenFile(path)
	if err != nil {
		return nil, err
	}
	model, err := p.Model.Hash()
	if err == nil {
		err = file.Fits(p.Graph, model)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (l *linked) close() error {
	if l == nil || l.file == nil {
		return nil
	}
	return l.file.Close()
}

// runByLinks runs programs by links. Rows take the model's lock where they have to be
// computed, and only then: questions whose rows are kept do not wait for those of others. The cache of
// projections is left alone, as rows are what is kept.
func (e *Engine) runByLinks(ctx context.Context, programs []*plan.Program, how Execution) (*exec.Run, error) {
	executor, err := e.links.ready(ctx, how.Literals)
	if err != nil {
		return nil, err
	}
	machine := exec.Machine{Executor: executor, Logic: how.Logic, Share: !how.Plain}
	return machine.Run(ctx, programs)
}

// check refuses what a way to answer cannot do.
func (how Execution) check() error {
	if how.By == Links && how.DoubtKnown {
		return kg.Errorf(kg.Invalid, "", "by links stated facts are certain: only answers by sets can doubt them")
	}
	return nil
}
