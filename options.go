package lacuna

import (
	"cmp"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/sparql"
)

// Option says how an engine is made. Every AskOption is one, too: it holds for all questions
// that do not say otherwise.
type Option interface {
	open(*opening) error
}

// opening is what Open and New were told.
type opening struct {
	choices
	model      string // "" for the default
	deviceName string
	device     kernel.Device // instead of one by its name
	name       string        // of the graph, "" for the default
	reading    *Reading      // nil for the usual
	linking    LinkOptions
	cut        int

	calibrating CalibrationOptions
}

func newOpening(options []Option) (*opening, error) {
	o := &opening{choices: defaults()}
	for _, option := range options {
		if err := option.open(o); err != nil {
			return nil, err
		}
	}
	if o.device != nil && o.deviceName != "" {
		return nil, kg.Errorf(kg.Invalid, "", "a device name, %s, and an open device: expected one of the two", o.deviceName)
	}
	return o, nil
}

// openOption is an Option that no question has.
type openOption func(*opening) error

func (f openOption) open(o *opening) error { return f(o) }

// Model chooses the model: Foundation, Turing, Exact for none, else a checkpoint's file or a
// training folder, of which it takes the newest checkpoint. Without it Open takes DefaultModel, New
// the foundation model. A model of another graph's relations is refused.
func Model(name string) Option {
	return openOption(func(o *opening) error {
		if name == "" {
			return kg.Errorf(kg.Invalid, "", "a model without a name, expected %s, %s, %s or a file", Foundation, Turing, Exact)
		}
		o.model = name
		return nil
	})
}

// Device chooses where the model runs: "cpu", "cuda" or "auto", the default, a GPU where there
// is one. "cuda" without a GPU is an error. The engine opens the device and closes it.
func Device(name string) Option {
	return openOption(func(o *opening) error {
		o.deviceName = name
		return neural.CheckDevice(name)
	})
}

// OnDevice runs the model on a device that is open already and stays the caller's, who closes it last.
func OnDevice(d kernel.Device) Option {
	return openOption(func(o *opening) error { o.device = d; return nil })
}

// Cut predicts each link on the so many entities around its head, found by personalised PageRank, instead of on all of the graph:
// then a question takes as long on a hundred million facts as on one. What the graph states is followed everywhere all the same.
// By default it is neural.DefaultCut on graphs with more than neural.CutAbove entities, else All.
func Cut(entities int) Option {
	return openOption(func(o *opening) error {
		switch o.cut = entities; {
		case entities < 1:
			return kg.Errorf(kg.Invalid, "", "a cut of %d entities, expected 1 or more", entities)
		case entities >= All:
			o.cut = -1 // as package neural says it
		}
		return nil
	})
}

// Named is what messages call the graph, instead of its source.
func Named(name string) Option {
	return openOption(func(o *opening) error { o.name = name; return nil })
}

// AskOption says how a question is answered and how much of the outcome is wanted.
type AskOption func(*choices) error

func (f AskOption) open(o *opening) error { return f(&o.choices) }

// choices are options as they were given. What was left open each entry point decides for itself.
type choices struct {
	Asking
	by        Way   // "" where open
	keepKnown *bool // nil where open
	threshold bool  // was chosen
	remote    sparql.Remote
}

func defaults() choices {
	return choices{Asking: Asking{Threshold: fuzzy.Threshold, Limit: DefaultLimit, Top: DefaultTop, Limits: defaultLimits}}
}

// choose gives the engine's choices with some made anew.
func (e *Engine) choose(options []AskOption) (choices, error) {
	c := e.usual
	for _, option := range options {
		if err := option(&c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Way is how a question is answered: Links, Sets, or Exact for what the graph states.
type Way string

// The ways that predict.
const (
	// Links answers entity by entity: an answer is as likely as its best derivation over single
	// links, each with a probability of its own. It is the default with a model.
	Links Way = "links"
	// Sets answers by fuzzy sets over all entities: the paper's GNN-QE.
	Sets Way = "sets"
)

// By chooses the way to answer. The default is Links with a model and Exact without; SPARQL answers by Exact, Visualise by Sets.
func By(way Way) AskOption {
	return func(c *choices) error {
		if way != Exact && way != Sets && way != Links {
			return kg.Errorf(kg.Invalid, "", "unknown way to answer %q: expected %s, %s or %s", way, Links, Sets, Exact)
		}
		c.by = way
		return nil
	}
}

// Logic chooses the fuzzy logic, one of fuzzy.Logics: fuzzy.Product is the default.
func Logic(l fuzzy.Logic) AskOption {
	return func(c *choices) error {
		if !slices.Contains(fuzzy.Logics[:], l) {
			return kg.Errorf(kg.Invalid, "", "logic number %d with λ = %v, expected one of %v", l.Norm, l.Negation, fuzzy.LogicNames())
		}
		c.Logic = l
		return nil
	}
}

// All is as many as there are, for Limit and Cut.
const All = 1 << 30

// Threshold is the least probability of an answer, one half by default; lists of SPARQL have predict.ListThreshold.
// With 0 everything answers that is not impossible.
func Threshold(least float64) AskOption {
	return func(c *choices) error {
		if !(least >= 0 && least <= 1) {
			return kg.Errorf(kg.Invalid, "", "threshold %v, expected a probability, from 0 to 1", least)
		}
		c.Threshold, c.threshold = least, true
		return nil
	}
}

// Limit is the most answers to list, DefaultLimit by default. All lists all.
func Limit(most int) AskOption {
	return func(c *choices) error {
		if most < 0 {
			return kg.Errorf(kg.Invalid, "", "limit %d, expected 0 or more answers", most)
		}
		c.Limit = most
		return nil
	}
}

// Top is the most entities to name at each step, DefaultTop by default.
func Top(most int) AskOption {
	return func(c *choices) error {
		if most < 0 {
			return kg.Errorf(kg.Invalid, "", "top %d, expected 0 or more", most)
		}
		c.Top = most
		return nil
	}
}

// Predicted leaves out of the answers what traversal of the graph finds.
func Predicted(on bool) AskOption {
	return func(c *choices) error { c.Predicted = on; return nil }
}

// Marginal gives each of several answer variables a list of its own beside the answers for all of
// them: an entity is as likely as the best answer that it is in.
func Marginal(on bool) AskOption {
	return func(c *choices) error { c.Marginal = on; return nil }
}

// Why gives answers the links of their best derivations. Explain says why these are predicted.
func Why(on bool) AskOption {
	return func(c *choices) error { c.Why = on; return nil }
}

// Plain runs a question as it stands: no rewriting, no sharing of equal parts.
func Plain(on bool) AskOption {
	return func(c *choices) error { c.Plain = on; return nil }
}

// KeepKnown says whether a fact that the graph states is beyond doubt, so that each
// projection is the maximum of the learned and the exact set, or the model judges it like any
// other link, which Sets alone can do: it is the default where facts are doubted. They are not by default, but for
// Evaluate and Visualise by Sets: the paper measures so.
func KeepKnown(on bool) AskOption {
	return func(c *choices) error { c.keepKnown = &on; return nil }
}

// Literals lets numbers, dates and truth values be predicted, where relations lead to them: they have no facts of
// their own, so that a model tells them apart by chance only. By default their links are those that the graph states; Evaluate predicts them always.
func Literals(on bool) AskOption {
	return func(c *choices) error { c.Literals = on; return nil }
}

// asking decides what was left open, by the defaults of an entry point.
func (c choices) asking(way Way, keepKnown bool) Asking {
	a := c.Asking
	if c.keepKnown != nil {
		keepKnown = *c.keepKnown
		if way == Links && !keepKnown {
			way = Sets
		}
	}
	a.By = cmp.Or(c.by, way)
	a.DoubtKnown = !keepKnown && a.By != Exact // traversal doubts nothing
	if a.By == Links && c.keepKnown == nil {
		a.DoubtKnown = false // nor do links, whatever is usual
	}
	return a
}

// least is the threshold as sets are held to it: what is impossible never answers.
func (a Asking) least() float32 { return max(float32(a.Threshold), math.SmallestNonzeroFloat32) }
