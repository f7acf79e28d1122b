package checkpoint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// State is a run of training at one moment: the model, Adam's moments, perhaps an
// average of the parameters, and the trainer's own record (step, best result so far, …). It is one file with the
// parameters in it, so that it agrees with itself whenever the process was killed; the
// model for use lies beside it.
type State struct {
	Card   Card
	Record json.RawMessage
	Model  *gnn.Model
	First  gnn.Slab // Adam's moments
	Second gnn.Slab
	// Average is a moving average of the parameters; its Values are nil where the run keeps none.
	Average gnn.Slab
}

const recordKey = "record"

// averagePrefix is of the part that a file may lack.
const averagePrefix = "average."

// part is a slab under the prefix of its tensors.
type part struct {
	prefix string
	slab   gnn.Slab
}

// parts are the slabs in the order of the file.
func (s State) parts() []part {
	parts := []part{{"parameters.", s.Model.Parameters}, {"first.", s.First}, {"second.", s.Second}}
	if s.Average.Values != nil {
		parts = append(parts, part{averagePrefix, s.Average})
	}
	return parts
}

// Save writes the state, to the bit.
func (s State) Save(path string) error {
	t := &tensorFile{Metadata: map[string]string{recordKey: string(s.Record)}}
	for _, p := range s.parts() {
		values, err := download(s.Model.Device(), p.slab)
		if err != nil {
			return err
		}
		if err := checkFinite(p.slab.Table, values); err != nil {
			return fmt.Errorf("%s: not written: %w", path, err)
		}
		t.add(p.prefix, p.slab.Table, values, F32)
	}
	return t.write(path, s.Card)
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
	if t.has(averagePrefix) {
		s.Average = m.NewSlab()
	}
	for _, p := range s.parts()[1:] {
		values, err := t.slab(path, p.prefix, m.Parameters.Table)
		if err != nil {
			s.Close()
			return nil, err
		}
		device.Upload(p.slab.Values, values)
	}
	return s, nil
}

// has tells whether any tensor stands under a prefix.
func (t *tensorFile) has(prefix string) bool {
	return slices.ContainsFunc(t.List, func(tensor storedTensor) bool { return strings.HasPrefix(tensor.Name, prefix) })
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
	for _, p := range s.parts()[1:] {
		s.Model.Device().Free(p.slab.Values)
	}
	s.Model.Close()
}
