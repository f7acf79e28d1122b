package lacuna

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/neural"
)

// CalibrationOptions say how the probabilities of links come to hold on a graph. By default they are fitted, when
// the first question is asked, to a tenth of the graph's facts, which are hidden for that.
type CalibrationOptions struct {
	Off  bool   // go without: probabilities are METHOD's formula
	File string // take the fit of a file that FitLinks wrote of this graph and model; "" for none
	// Folder keeps fits, by what they were fitted to, the graph, the model and the facts held out: one that is there is taken. "" keeps none.
	Folder string
	Held   []kg.Triple // true facts that the graph does not state, to fit to instead of hiding some
	// Elsewhere is how many more it does not state, though they are true: a benchmark's test facts. These are not looked at.
	Elsewhere int
	Rows      int // to look at; 0 is what some seconds allow for
	// Time bounds the looking, for a machine that is too slow or too busy: it ends with the rows that are done by then. The fit is kept, and
	// made again once it is older than RefineAfter. 0 is DefaultCalibrationTime, negative no bound.
	Time time.Duration
	// Progress is called now and then while a fit is made, by the goroutine that asks; Done once it is made, or failed.
	// Both may be nil.
	Progress func(done, total int)
	Done     func(Calibrated)
}

const (
	// DefaultCalibrationTime is the longest that the first question on a graph waits for probabilities that hold; it is made to wait for
	// six seconds of two free cores.
	DefaultCalibrationTime = 20 * time.Second

	// RefineAfter is how old a kept fit has to be that was cut short before another is tried: a machine is not busy for ever, and nobody should wait at
	// every command.
	RefineAfter = 10 * time.Minute
)

// calibrateUpTo is how many facts a graph may have to be fitted to unasked: the fit needs a copy of the graph, whose making takes
// a second and 80 MB for five million of them, beside rows, which take as long on graphs of any size: they are predicted on cuts.
const calibrateUpTo = 30_000_000

// leastCalibrated is how many facts a graph must have to be worth another try.
const leastCalibrated = 200

// Calibrated says how a fit went that was made unasked.
type Calibrated struct {
	Facts, Rows int // held out, and looked at
	Took        time.Duration
	Kept        string // the file in the folder, "" where it could not be written or there is none
	Cut         bool   // the time ended it: it is kept and made again later
	Around      int    // rows were predicted on so many entities around their head, 0 for all of the graph
	Seen        bool   // the facts are hidden ones of the very graph that the model was trained on: it is surer of them than of others
	Failed      error  // why there is none, nil else: the formula counts
}

// Calibrating is how the probabilities of links come to hold on the graph.
func Calibrating(o CalibrationOptions) Option {
	return openOption(func(to *opening) error { to.calibrating = o; return nil })
}

// calibration is a fit that the engines of a graph share, before and after changes of its facts: a fact more or less
// changes rows, but hardly what their probabilities mean.
type calibration struct {
	options CalibrationOptions
	turn    chan struct{} // holds one value while nobody fits
	done    bool
	again   int // facts of a graph from which on it is tried again, after a failure; 0 for never
	fitted  fit.File
}

func newCalibration(o CalibrationOptions) *calibration {
	c := &calibration{options: o, turn: make(chan struct{}, 1), done: o.Off}
	c.turn <- struct{}{}
	return c
}

// takeFrom takes the fit that the links of a file were made by, also for when facts change. Another, or none where the file has one,
// is refused: the file has probabilities and not what they are made from.
func (c *calibration) takeFrom(file *links.File, path string, p *neural.Predictor) error {
	c.fitted, c.done = fit.File{Map: file.Map}, true
	if c.options.Off && file.Map.Fitted() {
		return kg.Errorf(kg.Invalid, path, "its links are calibrated and calibration is off: turn calibration on, or make links with --no-calibration")
	}
	if c.options.File == "" {
		return nil
	}
	given, err := fit.ReadFile(c.options.File, p)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(given.Map, file.Map) {
		return kg.Errorf(kg.Invalid, path, "its links were not made by %s: make them again with lacuna links --calibration %[1]s, or ask without it", c.options.File)
	}
	c.fitted = given
	return nil
}

// of gives the fit for a model on a graph, empty where there is none. The first to come makes it; others wait for that.
func (c *calibration) of(ctx context.Context, p *neural.Predictor) (fit.File, error) {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return fit.File{}, kg.Stopped(ctx)
	}
	defer func() { c.turn <- struct{}{} }()
	if c.done && (c.again == 0 || p.Graph.NumTriples() < c.again) {
		return c.fitted, nil
	}
	fitted, report, err := c.find(pace.Still(ctx), p) // others wait for it
	if kg.KindOf(err) == kg.Cancelled {
		return fit.File{}, err // the next to come tries again
	}
	c.done, c.fitted, c.again = true, fitted, 0
	if err != nil {
		c.again = max(leastCalibrated, 2*p.Graph.NumTriples()) // one that was empty when it was opened may be filled
	}
	if report != nil && c.options.Done != nil {
		c.options.Done(*report)
	}
	return fitted, nil
}

// find takes a fit from the folder, or makes one and reports on it.
func (c *calibration) find(ctx context.Context, p *neural.Predictor) (fit.File, *Calibrated, error) {
	if n := p.Graph.NumTriples(); n > calibrateUpTo {
		err := kg.Errorf(kg.TooLarge, "calibrate", "the graph has %d facts, more than %d: run lacuna calibrate to fit probabilities", n, calibrateUpTo)
		return fit.File{}, &Calibrated{Failed: err}, err
	}
	graph := links.GraphHash(p.Graph)
	path := c.path(p, graph)
	kept, fresh := keptFit(path, p)
	if fresh {
		return kept, nil, nil
	}
	report := &Calibrated{}
	start := time.Now()
	made, err := c.make(ctx, p, graph, report)
	report.Took = time.Since(start)
	switch {
	case err != nil && kept.Map != nil && kg.KindOf(err) != kg.Cancelled:
		return kept, nil, nil
	case err != nil:
		report.Failed = err
		return fit.File{}, report, err
	case kept.Map != nil && report.Rows < kept.Report.Rows: // the machine is even busier than it was; written again, it is the newer one
		made, report = kept, nil
	}
	if path == "" {
		return made, report, nil
	}
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil && made.Write(path) == nil && report != nil {
		report.Kept = path
	}
	return made, report, nil
}

// keptFit is the fit that a file has, empty where it has none, and whether it need not be made again.
func keptFit(path string, p *neural.Predictor) (kept fit.File, fresh bool) {
	if path == "" {
		return kept, false
	}
	kept, err := fit.ReadFile(path, p)
	if err != nil {
		return fit.File{}, false
	}
	info, err := os.Stat(path)
	isRough := kept.Report != nil && kept.Report.Cut
	return kept, !isRough || err == nil && time.Since(info.ModTime()) < RefineAfter
}

// make fits a map, for as long as the options say.
func (c *calibration) make(ctx context.Context, p *neural.Predictor, graph string, report *Calibrated) (f fit.File, err error) {
	o := c.options
	hash, err := p.Model.Hash()
	if err != nil {
		return f, err
	}
	how := fit.Options{Graph: p.Graph, Model: p.Model, Held: o.Held, Elsewhere: o.Elsewhere, Rows: o.Rows, Seed: 1, Progress: o.Progress}
	fitted, found, err := fit.Quick(ctx, how, cmp.Or(o.Time, DefaultCalibrationTime))
	if err != nil {
		return f, err
	}
	report.Facts, report.Rows, report.Cut, report.Around = found.Held, found.Rows, found.Cut, found.Around
	report.Seen = found.Hidden && p.Model.Card.TrainedOn(p.Graph.Vocabulary)
	return fit.File{Graph: graph, Model: hash, Name: p.Model.Name, Map: fitted, Report: found}, nil
}

// fitVersion is another where fits are made in another way: those that were kept before are no longer taken.
const fitVersion = "13"

// path is where the folder keeps the fit for a graph of this hash, "" without one.
func (c *calibration) path(p *neural.Predictor, graph string) string {
	if c.options.Folder == "" {
		return ""
	}
	model, err := p.Model.Hash()
	if err != nil {
		return ""
	}
	key := sha256.Sum256([]byte(fitVersion + graph + model + c.heldOut()))
	return filepath.Join(c.options.Folder, hex.EncodeToString(key[:16])+".calibration")
}

// heldOut tells facts that are held out from others: a graph may be asked with those of its folder, and as a file without them.
func (c *calibration) heldOut() string {
	hash := sha256.New()
	line := binary.LittleEndian.AppendUint64(nil, uint64(c.options.Elsewhere))
	for _, fact := range c.options.Held {
		hash.Write(line)
		line = binary.LittleEndian.AppendUint32(line[:0], uint32(fact.Head))
		line = binary.LittleEndian.AppendUint32(line, uint32(fact.Relation))
		line = binary.LittleEndian.AppendUint32(line, uint32(fact.Tail))
	}
	hash.Write(line)
	return hex.EncodeToString(hash.Sum(nil))
}
