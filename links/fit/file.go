package fit

import (
	"encoding/json"
	"os"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// File is a map with what it was fitted to, as JSON. It holds for that graph and model alone.
type File struct {
	Graph  string    `json:"graph"`      // links.GraphHash
	Model  string    `json:"model"`      // a hash of the network
	Name   string    `json:"model_name"` // of the model
	Map    links.Map `json:"map"`
	Report *Report   `json:"report"`
}

// Write writes the file as a whole.
func (f File) Write(path string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return kg.WriteError(path, atomicfile.Write(path, append(text, '\n')))
}

// Read reads the map for a model on a graph. That of another is refused.
func Read(path string, p *neural.Predictor) (links.Map, error) {
	f, err := ReadFile(path, p)
	return f.Map, err
}

// ReadFile reads a file for a model on a graph. That of another is refused.
func ReadFile(path string, p *neural.Predictor) (f File, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return f, kg.ReadError(path, err)
	}
	if err := json.Unmarshal(text, &f); err != nil || len(f.Map) == 0 {
		return File{}, kg.Errorf(kg.Invalid, path, "not a calibration of links: expected the JSON that lacuna calibrate writes")
	}
	if err := f.fits(path, p); err != nil {
		return File{}, err
	}
	return f, nil
}

func (f File) fits(path string, p *neural.Predictor) error {
	if err := f.Map.Check(); err != nil {
		return kg.Errorf(kg.Invalid, path, "%v", err)
	}
	if f.Graph != links.GraphHash(p.Graph) {
		return kg.Errorf(kg.Invalid, path, "it was fitted to another graph, or to this one before its facts changed")
	}
	hash, err := p.Model.Hash()
	if err == nil && f.Model != hash {
		err = kg.Errorf(kg.Invalid, path, "it was fitted to another model, %s", f.Name)
	}
	return err
}
