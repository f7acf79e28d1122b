package neural

import (
	"sync"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/foundation"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/turing"
)

// The models that come with Lacuna, by the names under which OpenModel knows them.
const (
	Foundation = "foundation" // answers on any graph
	Turing     = "turing"     // of the embedded graph
	// The same, trained on whole questions for answers by sets.
	FoundationOfSets = "foundation-sets"
	TuringOfSets     = "turing-sets"
)

// Model is a trained model on a device, which any number of graphs share. Its memory goes
// when it and all predictors of it are closed.
type Model struct {
	sync.Mutex // see Predictor

	Name    string // as its user knows it
	Card    checkpoint.Card
	Network *gnn.Model
	// Cut is on how many entities around its head a link is predicted, on graphs that the model is put on from then on:
	// 0 is DefaultCut on those with more than CutAbove, negative all of any graph.
	Cut int

	users      atomic.Int64
	ownsDevice bool // closed by the last user
	close      func()
}

// OpenModel reads a model onto a device: one that comes with Lacuna by its name, else
// that in a file, or in the newest checkpoint of a training folder.
func OpenModel(name string, device kernel.Device) (*Model, error) {
	network, card, err := load(name, device)
	if err != nil {
		return nil, err
	}
	return NewModel(name, network, card), nil
}

// OpenModelOn opens a device and a model on it. The device is closed with the model's memory.
func OpenModelOn(name string, where DeviceOptions) (*Model, error) {
	device, err := OpenDevice(where)
	if err != nil {
		return nil, err
	}
	m, err := OpenModel(name, device)
	if err != nil {
		device.Close()
		return nil, err
	}
	m.ownsDevice = true
	return m, nil
}

func load(name string, device kernel.Device) (*gnn.Model, checkpoint.Card, error) {
	switch name {
	case Foundation:
		return checkpoint.LoadBytes(foundation.Model(), name, device)
	case FoundationOfSets:
		return checkpoint.LoadBytes(foundation.ModelOfSets(), name, device)
	case Turing:
		return checkpoint.LoadBytes(turing.Model(), name, device)
	case TuringOfSets:
		return checkpoint.LoadBytes(turing.ModelOfSets(), name, device)
	}
	file, err := checkpoint.Find(name)
	if err != nil {
		return nil, checkpoint.Card{}, err
	}
	return checkpoint.Load(file, device)
}

// answerWorkspace bounds the states of samples that a CPU runs together when it answers.
// More of them than its caches hold cost a tenth more each; buffers for batches of every
// size would pile up, and a run would end later after its context.
const answerWorkspace = 16 << 20

// answerOnGPU is the same of a GPU: a thousand rows of FB15k-237 keep any busy. Its share of the whole memory would be
// taken at the first large batch and leave nothing to other programs.
const answerOnGPU = 4 << 30

// NewModel takes over a network that is on a device already.
func NewModel(name string, network *gnn.Model, card checkpoint.Card) *Model {
	if network.Limits.Workspace == gnn.DefaultLimits().Workspace {
		network.Limits.Workspace = answerWorkspace
	}
	network.Limits.Workspace = min(network.Limits.Workspace, answerOnGPU)
	m := &Model{Name: name, Card: card, Network: network}
	m.users.Store(1)
	m.close = sync.OnceFunc(func() { m.end(nil) })
	return m
}

// Save writes the model as it is now, adjustments included.
func (m *Model) Save(path string, as checkpoint.Precision) error {
	m.Card.Config = m.Network.Spec()
	return checkpoint.Save(path, m.Network, m.Card, as)
}

// Close ends the caller's use of the model; predictors of it go on. Calls after the first do nothing.
func (m *Model) Close() { m.close() }

// end waits for the run at work and gives the memory of one user back: a predictor, or nil for the model itself.
func (m *Model) end(p *Predictor) {
	if p.holds() {
		p.Locked(p.free)
	}
	if m.users.Add(-1) > 0 {
		return
	}
	m.Lock()
	defer m.Unlock()
	m.Network.Close()
	if m.ownsDevice {
		m.Network.Device().Close()
	}
}
