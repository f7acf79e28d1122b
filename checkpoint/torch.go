package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// linkThreshold is what the authors of ULTRA use with checkpoints that know only single
// links: at every further step of a query the many small probabilities of a set would drown it.
const linkThreshold = 0.8

// queryPrefix begins the names of checkpoints that were trained on whole queries: there
// the network is wrapped in the one that executes them.
const queryPrefix = "model.model."

// ImportTorch reads a PyTorch checkpoint of ULTRA or UltraQuery (.pth) onto a device.
// The file does not say in which direction messages run nor whether it knows queries: all
// public ones run from tail to head (METHOD "Direction"), and the names of
// the tensors tell the two sorts apart. Save writes the model in this program's own form.
func ImportTorch(path string, device kernel.Device) (*gnn.Model, Card, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, Card{}, readError(path, err)
	}
	return importTorchBytes(data, path, device)
}

// importTorchBytes is ImportTorch of a file that is in memory; name stands in errors.
func importTorchBytes(data []byte, name string, device kernel.Device) (*gnn.Model, Card, error) {
	archive, err := openTorch(data, name)
	if err != nil {
		return nil, Card{}, err
	}
	tensors, prefix, err := archive.network()
	if err != nil {
		return nil, Card{}, err
	}
	config, err := ultraConfig(tensors, prefix, name)
	if err != nil {
		return nil, Card{}, err
	}
	values, err := archive.slab(tensors, config.Config)
	if err != nil {
		return nil, Card{}, err
	}
	m, err := config.New(device, 0, 0)
	if err != nil {
		return nil, Card{}, kg.Errorf(kg.Invalid, name, "%v", err)
	}
	device.Upload(m.Parameters.Values, values)
	return m, importCard(config, data, name, device), device.Sync()
}

// importCard says where the model came from; how it was trained only its authors know.
func importCard(config gnn.Spec, data []byte, name string, device kernel.Device) Card {
	sum := sha256.Sum256(data)
	origin, _ := json.Marshal(map[string]string{"imported_from": filepath.Base(name), "sha256": hex.EncodeToString(sum[:])}) // strings always marshal
	return Card{Config: config, Training: origin, Device: device.Name()}
}

// network finds the state dict and gives its tensors by their names in METHOD's list.
func (a *torchArchive) network() (tensors map[string]*torchTensor, prefix string, err error) {
	dict := a.root
	if inner, ok := dict.Get("model"); ok { // beside the optimiser's state
		if dict, ok = asDict(inner); !ok {
			return nil, "", kg.Errorf(kg.Invalid, a.name, `"model" is a %T, expected the tensors of a network`, inner)
		}
	}
	tensors = map[string]*torchTensor{}
	for i, key := range dict.Keys {
		tensor, isTensor := dict.Values[i].(*torchTensor)
		text, isString := key.(string)
		if !isTensor || !isString {
			return nil, "", kg.Errorf(kg.Invalid, a.name, "%v is a %T, expected names and tensors of a network", key, dict.Values[i])
		}
		tensors[text] = tensor
	}
	if _, ok := tensors[queryPrefix+"relation_model.layers.0.linear.weight"]; ok {
		prefix = queryPrefix
	}
	return tensors, prefix, a.strip(tensors, prefix)
}

// strip takes a prefix from all names.
func (a *torchArchive) strip(tensors map[string]*torchTensor, prefix string) error {
	if prefix == "" {
		return nil
	}
	for _, name := range sortedNames(tensors) {
		short, ok := strings.CutPrefix(name, prefix)
		if !ok {
			return kg.Errorf(kg.Invalid, a.name, "tensor %q does not begin with %q as the others do", name, prefix)
		}
		tensors[short] = tensors[name]
		delete(tensors, name)
	}
	return nil
}

func sortedNames(tensors map[string]*torchTensor) []string {
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ultraConfig reads width and layers off the tensors.
func ultraConfig(tensors map[string]*torchTensor, prefix, file string) (gnn.Spec, error) {
	c := gnn.Spec{Config: gnn.DefaultUltra()}
	first, ok := tensors["relation_model.layers.0.linear.weight"]
	if !ok || len(first.shape) != 2 || first.shape[1] != 2*first.shape[0] {
		return c, kg.Errorf(kg.Invalid, file, "no network of ULTRA: expected a tensor %q of a shape like [64 128]", "relation_model.layers.0.linear.weight")
	}
	c.Width, c.Layers = first.shape[0], 0
	for {
		if _, more := tensors[fmt.Sprintf("relation_model.layers.%d.linear.weight", c.Layers)]; !more {
			break
		}
		c.Layers++
	}
	if prefix == "" {
		c.Threshold = linkThreshold
	}
	if err := c.Check(); err != nil {
		return c, kg.Errorf(kg.Invalid, file, "%v", err)
	}
	return c, nil
}

// slab collects the values in the order of the network's table. All shapes are checked
// before any memory is asked for on the word of one of them.
func (a *torchArchive) slab(tensors map[string]*torchTensor, config gnn.Config) ([]float32, error) {
	table, err := config.Table(0)
	if err != nil {
		return nil, err
	}
	for _, want := range table.Tensors {
		got, ok := tensors[want.Name]
		if !ok {
			return nil, kg.Errorf(kg.Invalid, a.name, "tensor %q of shape %v is missing from the network", want.Name, want.Shape)
		}
		if !slices.Equal(got.shape, want.Shape) {
			return nil, kg.Errorf(kg.Invalid, a.name, "tensor %q has shape %v, expected %v", want.Name, got.shape, want.Shape)
		}
	}
	for _, name := range sortedNames(tensors) {
		if _, known := table.Find(name); !known {
			return nil, kg.Errorf(kg.Invalid, a.name, "tensor %q is no part of a network of ULTRA with %d layers", name, config.Layers)
		}
	}
	if 4*table.Len > a.size { // tensors that share storages, which parameters do not
		return nil, corrupt(a.name, "a network of %d values in %d bytes", table.Len, a.size)
	}
	values := make([]float32, 0, table.Len)
	for _, want := range table.Tensors {
		if values, err = a.read(values, want.Name, tensors[want.Name]); err != nil {
			return nil, err
		}
	}
	if err := checkFinite(table, values); err != nil {
		return nil, corrupt(a.name, "%v", err)
	}
	return values, nil
}
