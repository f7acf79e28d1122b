package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Limits bound the memory of a batch, in bytes, whatever its size.
type Limits struct {
	// Workspace bounds the states of the samples that run together.
	Workspace int64
	// Kept bounds what a Trace keeps; samples beyond it run again in Backward.
	Kept int64
	// KeepStats keeps the aggregated statistics too, 4·D more per node and layer for
	// PNA, where memory is cheaper than another pass over the edges.
	KeepStats bool
}

// DefaultLimits suit a CPU: a training step of 32 queries on FB15k-237 stays below 2 GB.
func DefaultLimits() Limits { return Limits{Workspace: 256 << 20, Kept: 1 << 30} }

// Model is a learned projection on a device.
type Model struct {
	Config     Config
	Relations  int // R, inverses counted
	Parameters Slab
	Limits     Limits

	device kernel.Device
	layer  kernel.Layer
	memory memory
}

// New makes a model with fresh parameters; the same seed gives the same ones on every device.
func New(device kernel.Device, config Config, relations int, seed uint64) (*Model, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	if relations < 1 {
		return nil, fmt.Errorf("model: %d relations, expected at least 1", relations)
	}
	layer, err := config.layer()
	if err != nil {
		return nil, err
	}
	m := &Model{Config: config, Relations: relations, Limits: DefaultLimits(), device: device, layer: layer}
	m.memory.device = device
	table := newTable(config, layer, relations)
	m.Parameters = Slab{table, device.NewBuffer(table.Len)}
	device.Upload(m.Parameters.Values, table.initial(seed))
	return m, nil
}

// Device is where the model lives.
func (m *Model) Device() kernel.Device { return m.device }

// NewSlab is a slab of zeros like the parameters: for gradients and moments.
func (m *Model) NewSlab() Slab {
	return Slab{m.Parameters.Table, m.device.NewBuffer(m.Parameters.Len)}
}

// sampleFloats is the number of floats one sample's states take while it runs, or, with
// keep, that Backward needs of it, and its share of relation tables at worst.
func (m *Model) sampleFloats(nodes int, keep bool) int64 {
	state := int64(nodes) * int64(m.Config.Width)
	layers := int64(m.Config.Layers)
	tables := layers * int64(m.Relations) * int64(m.layer.RelationWidth())
	switch {
	case !keep && !m.Config.ConcatHidden:
		return 2*state + tables
	case !keep:
		return (layers+1)*state + tables
	case m.Limits.KeepStats:
		return (2*layers+1)*state + layers*int64(m.layer.Stats())*state + tables
	}
	return (2*layers+1)*state + tables
}

// chunk is the number of samples that run together.
func (m *Model) chunk(nodes int, keep bool) int {
	return int(max(1, m.Limits.Workspace/(4*m.sampleFloats(nodes, keep))))
}
