package checkpoint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Precision is how a file stores the numbers of a model: its network's, and those of vectors beside it. What is empty is F32,
// or there are no vectors.
type Precision struct {
	Network, Vectors DType
}

// The precisions at which models are written. Half takes half the space of Single and answers almost the same; Bytes takes little more than
// half of that again, for all that is a table; what is not, such as biases, is F16 then.
var (
	Single = Precision{F32, F32}
	Half   = Precision{F16, F16}
	Bytes  = Precision{I8, I8}
)

// Save writes a model with its card.
func Save(path string, m *gnn.Model, card Card, as Precision) error {
	if err := card.Config.Check(); err != nil {
		return fmt.Errorf("%s: not written: %w", path, err)
	}
	t := &tensorFile{}
	values, err := download(m.Device(), m.Parameters)
	if err != nil {
		return err
	}
	if err := checkFinite(m.Parameters.Table, values); err != nil {
		return fmt.Errorf("%s: not written: %w", path, err)
	}
	t.add("", m.Parameters.Table, values, cmp.Or(as.Network, F32))
	if err := t.addFactors(card.Factors, cmp.Or(as.Vectors, F32)); err != nil {
		return err
	}
	return t.write(path, card)
}

// write stores tensors with a card and what else the metadata already says.
func (t *tensorFile) write(path string, card Card) error {
	metadata, err := card.metadata()
	if err != nil {
		return err
	}
	for key, value := range t.Metadata {
		metadata[key] = value
	}
	data, err := (&tensorFile{metadata, t.List}).Encode()
	if err != nil {
		return err
	}
	return WriteFile(path, data)
}

// Load reads a model onto a device.
func Load(path string, device kernel.Device) (*gnn.Model, Card, error) {
	t, err := readFile(path)
	if err != nil {
		return nil, Card{}, err
	}
	return t.model(path, "", device)
}

// LoadBytes is Load of a file that is in memory; name stands in errors.
func LoadBytes(data []byte, name string, device kernel.Device) (*gnn.Model, Card, error) {
	t, err := decode(data, name)
	if err != nil {
		return nil, Card{}, err
	}
	return t.model(name, "", device)
}

// model makes the model whose parameters stand under a prefix.
func (t *tensorFile) model(file, prefix string, device kernel.Device) (*gnn.Model, Card, error) {
	card, err := parseCard(t.Metadata, file)
	if err != nil {
		return nil, card, err
	}
	relations := 2 * len(card.Graph.Relations)
	table, err := t.table(file, card.Config.Config, relations)
	if err != nil {
		return nil, card, err
	}
	values, err := t.slab(file, prefix, table)
	if err != nil {
		return nil, card, err
	}
	m, err := card.Config.New(device, relations, 0)
	if err != nil {
		return nil, card, kg.Errorf(kg.Invalid, file, "%v", err)
	}
	device.Upload(m.Parameters.Values, values)
	if card.Factors, err = t.factors(file); err != nil {
		return nil, card, err
	}
	card.Stored = Precision{t.typeOf(prefix + largest(table).Name), t.typeOf(entityFactors)}
	return m, card, nil
}

// largest is the tensor of a table that has the most values.
func largest(table *gnn.Table) gnn.Tensor {
	return slices.MaxFunc(table.Tensors, func(a, b gnn.Tensor) int { return cmp.Compare(a.Len(), b.Len()) })
}

// typeOf is as which the file has a tensor; empty where it has none of the name.
func (t *tensorFile) typeOf(name string) DType {
	for _, tensor := range t.List {
		if tensor.Name == name {
			return tensor.Type
		}
	}
	return ""
}

// table lists the tensors that a configuration asks for.
func (t *tensorFile) table(file string, c gnn.Config, relations int) (*gnn.Table, error) {
	if c.Layers > len(t.List) { // each has several; the table itself must not grow on the word of the file
		return nil, corrupt(file, "%d tensors for %d layers", len(t.List), c.Layers)
	}
	table, err := c.Table(relations)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, file, "%v", err)
	}
	return table, nil
}

// slab collects the values of a table's tensors. All must be there in their shapes before
// memory is asked for on the word of the configuration.
func (t *tensorFile) slab(file, prefix string, table *gnn.Table) ([]float32, error) {
	byName := make(map[string]storedTensor, len(t.List))
	for _, tensor := range t.List {
		byName[tensor.Name] = tensor
	}
	for _, want := range table.Tensors {
		got, ok := byName[prefix+want.Name]
		if !ok {
			return nil, kg.Errorf(kg.Invalid, file, "tensor %q of shape %v is missing from the model", prefix+want.Name, want.Shape)
		}
		if !slices.Equal(got.Shape, want.Shape) {
			return nil, kg.Errorf(kg.Invalid, file, "tensor %q has shape %v, expected %v", prefix+want.Name, got.Shape, want.Shape)
		}
	}
	values := make([]float32, table.Len)
	for _, want := range table.Tensors {
		copy(values[want.Offset:], byName[prefix+want.Name].Values)
	}
	if err := checkFinite(table, values); err != nil {
		return nil, corrupt(file, "%v", err)
	}
	return values, nil
}

// add appends the tensors of a slab under a prefix.
func (t *tensorFile) add(prefix string, table *gnn.Table, values []float32, as DType) {
	for _, tensor := range table.Tensors {
		stored := as
		if as == I8 && len(tensor.Shape) != 2 {
			stored = F16
		}
		t.List = append(t.List, storedTensor{prefix + tensor.Name, stored, tensor.Shape, values[tensor.Offset : tensor.Offset+tensor.Len()]})
	}
}

func download(device kernel.Device, s gnn.Slab) ([]float32, error) {
	values := make([]float32, s.Len)
	device.Download(values, s.Values)
	return values, device.Sync()
}

// checkFinite refuses values that would turn every answer into NaN.
func checkFinite(table *gnn.Table, values []float32) error {
	for _, tensor := range table.Tensors {
		for _, x := range values[tensor.Offset : tensor.Offset+tensor.Len()] {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("tensor %q holds %v", tensor.Name, x)
			}
		}
	}
	return nil
}
