package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Limits bound the memory of a batch, in bytes, whatever its size.
type Limits struct {
	// Workspace bounds the states of the samples that run together.
	Workspace int64
	// Kept bounds what all live activations take together; samples beyond it run again in Backward.
	Kept int64
	// KeepStats keeps the aggregated statistics too, 4·D more per node and layer for
	// PNA, where memory is cheaper than another pass over the edges.
	KeepStats bool
	// Vectors bounds the relation vectors that ultra remembers for each graph.
	Vectors int64
}

// DefaultLimits suit a CPU: the buffers of a training step on FB15k-237 stay near 1 GB
// for any batch, and the whole process below 2 GB.
func DefaultLimits() Limits { return Limits{Workspace: 256 << 20, Kept: 448 << 20, Vectors: 256 << 20} }

// LimitsOf gives the limits for a device: those of a CPU, or shares of the memory that a
// device has of its own, where nothing needs to run twice.
func LimitsOf(device kernel.Device) Limits {
	own := device.Memory()
	if own == 0 {
		return DefaultLimits()
	}
	return Limits{Workspace: own / 6, Kept: own / 3, Vectors: own / 32, KeepStats: true}
}

// Model is a learned projection on a device.
type Model struct {
	Config      Config
	Adjustments Adjustments
	Relations   int // R, inverses counted; 0 for a foundation model, which fits any graph
	Parameters  Slab
	Limits      Limits
	// KeepRelationGraph makes Thin, for ultra, keep the relation graph of the whole graph. METHOD derives it anew
	// from the edges that are left, which takes 20 to 30 ms on the host for FB15k-237, longer than the step on
	// a GPU. The two differ where dropped edges were the only ones by which two relations meet in an
	// entity: such a pair stays joined, as it is in the whole graph that answers are asked of.
	KeepRelationGraph bool

	device  kernel.Device
	network network
	layer   kernel.Layer
	buffers buffers
	kept    int64 // bytes that live activations hold
	age     int64 // of the parameters: what was computed from older ones is stale
}

// New makes a model with fresh parameters; the same seed gives the same ones on every
// device. A foundation model takes any number of relations and keeps none.
func New(device kernel.Device, config Config, relations int, seed uint64) (*Model, error) {
	if config.AnyGraph() {
		relations = 0
	} else if relations < 1 {
		return nil, fmt.Errorf("model: %d relations, expected at least 1", relations)
	}
	table, err := config.Table(relations)
	if err != nil {
		return nil, err
	}
	m := &Model{Config: config, Relations: relations, Limits: LimitsOf(device), device: device}
	if m.network, err = config.network(); err != nil {
		return nil, err
	}
	if m.layer, err = m.network.layer(config); err != nil {
		return nil, err
	}
	m.buffers.device = device
	m.Parameters = Slab{table, device.NewBuffer(table.Len)}
	device.Upload(m.Parameters.Values, table.initial(seed))
	return m, nil
}

// Device is where the model lives.
func (m *Model) Device() kernel.Device { return m.device }

// Spec is all of the model but its parameters.
func (m *Model) Spec() Spec { return Spec{m.Config, m.Adjustments} }

// NewSlab is a slab of zeros like the parameters: for gradients and moments.
func (m *Model) NewSlab() Slab {
	return Slab{m.Parameters.Table, m.device.NewBuffer(m.Parameters.Len)}
}

// Close gives all device memory of the model back: parameters, and what batches reused.
// Activations must have been released; other slabs are their owner's.
func (m *Model) Close() {
	m.buffers.close()
	m.device.Free(m.Parameters.Values)
}

// stateBytes is the size of one sample's state (V,D).
func (m *Model) stateBytes(g kernel.DeviceGraph) int64 {
	return 4 * int64(g.Nodes()) * int64(m.Config.Width)
}

// keptBytes is what Backward needs of one sample: states, the Linears' outputs, perhaps
// the statistics, and at worst relation tables of its own.
func (m *Model) keptBytes(g kernel.DeviceGraph) int64 {
	layers := int64(m.Config.Layers)
	states := 2*layers + 1
	if m.Limits.KeepStats {
		states += layers * int64(m.layer.Stats())
	}
	return states*m.stateBytes(g) + m.tableBytes(g)
}

// tableBytes is the size of the relation tables of all layers.
func (m *Model) tableBytes(g kernel.DeviceGraph) int64 {
	return int64(m.network.tableCount(m.Config)) * 4 * int64(g.Relations()) * int64(m.layer.RelationWidth())
}

// inferenceChunk is the number of samples that run together when nothing is kept.
func (m *Model) inferenceChunk(g kernel.DeviceGraph) int {
	states := int64(2)
	if m.Config.ConcatHidden {
		states = int64(m.Config.Layers) + 1
	}
	sample := states*m.stateBytes(g) + m.tableBytes(g)
	return int(max(1, m.Limits.Workspace/sample))
}

// even is the size of chunks of at most so many samples that are all alike: a small last one would keep a device half busy.
func even(samples, most int) int {
	chunks := max(1, (samples+most-1)/most)
	return max(1, (samples+chunks-1)/chunks)
}

// trainingChunk is the same for samples with their gradients.
func (m *Model) trainingChunk(g kernel.DeviceGraph) int {
	sample := m.keptBytes(g) + int64(m.stateGradients())*m.stateBytes(g) + m.tableBytes(g)
	return int(max(1, m.Limits.Workspace/sample))
}

// stateGradients is how many gradients of states are live: all where the head reads
// all, else two that take turns.
func (m *Model) stateGradients() int {
	if m.Config.ConcatHidden {
		return m.Config.Layers + 1
	}
	return 2
}
