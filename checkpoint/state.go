package checkpoint

import (
	"encoding/json"
	"fmt"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// State is a run of training at one moment: the model, Adam's moments and the
// trainer's own record (step, best result so far, …). It is one file with the
// parameters in it, so that it agrees with itself whenever the process was killed; the
// model for use lies beside it.
type State struct {
	Card   Card
	Record json.RawMessage
	Model  *gnn.Model
	First  gnn.Slab // Adam's moments
	Second gnn.Slab
}

const recordKey = "record"

// slabs names the parts of the file.
func (s State) slabs() map[string]gnn.Slab {
	return map[string]gnn.Slab{"parameters.": s.Model.Parameters, "first.": s.First, "second.": s.Second}
}

// order fixes the order of the parts, for the same bytes each time.
func slabOrder() []string { return []string{"parameters.", "first.", "second."} }

// Save writes the state, to the bit.
func (s State) Save(path string) error {
	t := &Tensors{Metadata: map[string]string{recordKey: string(s.Record)}}
	for _, prefix := range slabOrder() {
		slab := s.slabs()[prefix]
		values, err := download(s.Model.Device(), slab)
		if err != nil {
			return err
		}
		if err := checkFinite(slab.Table, values); err != nil {
			return fmt.Errorf("%s: not written: %w", path, err)
		}
		t.add(prefix, slab.Table, values)
	}
	return t.write(path, s.Card, F32)
}

// LoadState reads a state onto a device.
func LoadState(path string, device kernel.Device) (*State, error) {
	t, err := readFile(path)
	if err != nil {
		return nil, err
	}
	record, ok := t.Metadata[recordKey]
	if !ok {
		return nil, kg.Errorf(kg.Invalid, path, "expected the state of a training run, found a model")
	}
	m, card, err := t.model(path, "parameters.", device)
	if err != nil {
		return nil, err
	}
	s := &State{Card: card, Record: json.RawMessage(record), Model: m, First: m.NewSlab(), Second: m.NewSlab()}
	for _, prefix := range slabOrder()[1:] {
		values, err := t.slab(path, prefix, m.Parameters.Table)
		if err != nil {
			s.Close()
			return nil, err
		}
		device.Upload(s.slabs()[prefix].Values, values)
	}
	return s, nil
}

// ReadState reads what a state says, without its numbers.
func ReadState(path string) (Card, json.RawMessage, error) {
	t, err := readFile(path)
	if err != nil {
		return Card{}, nil, err
	}
	card, err := parseCard(t.Metadata, path)
	return card, json.RawMessage(t.Metadata[recordKey]), err
}

// Close gives the device memory of the state back.
func (s *State) Close() {
	device := s.Model.Device()
	device.Free(s.First.Values)
	device.Free(s.Second.Values)
	s.Model.Close()
}
