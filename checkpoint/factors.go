package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"

	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/kg"
)

// Factors are vectors of one graph's entities and relations that a model has beside its network, in the same file.
type Factors struct {
	Vectors *factor.Model `json:"-"`
	// Names is a hash of the names of the entities and relations, in their order, in hexadecimal: vectors mean something
	// only with them.
	Names    string          `json:"names"`
	Blend    factor.Blend    `json:"blend"`
	Training json.RawMessage `json:"training"`
}

// NewFactors says whose vectors they are.
func NewFactors(vectors *factor.Model, v *kg.Vocabulary, blend factor.Blend, training factor.Options) (*Factors, error) {
	how, err := json.Marshal(training)
	return &Factors{vectors, hashNames(v, vectors), blend, how}, err
}

// hashNames is of the names that have vectors: facts that are added later may bring others, which come behind them.
func hashNames(v *kg.Vocabulary, m *factor.Model) string {
	hash := sha256.New()
	for e := range uint32(m.NumEntities()) {
		hash.Write(append([]byte(v.Entities.Names.At(e)), 0))
	}
	for r := range uint32(m.NumRelations() / 2) {
		hash.Write(append([]byte(v.Relations.Names.At(r)), 0))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Fit tells whether the vectors are those of a graph, whose last entities and relations may have come later and have none.
func (f *Factors) Fit(v *kg.Vocabulary) bool {
	m := f.Vectors
	return v.Entities.Names.Len() >= m.NumEntities() && v.NumRelations() >= m.NumRelations() && hashNames(v, m) == f.Names
}

// The names of their tensors and of what the metadata says of them.
const (
	factorsKey      = "factors"
	entityFactors   = "factors.entities"
	relationFactors = "factors.relations"
)

// addFactors puts vectors beside a network.
func (t *tensorFile) addFactors(f *Factors, as DType) error {
	if f == nil {
		return nil
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if t.Metadata == nil {
		t.Metadata = map[string]string{}
	}
	t.Metadata[factorsKey] = string(text)
	m := f.Vectors
	t.List = append(t.List,
		storedTensor{entityFactors, as, []int{m.NumEntities(), m.Width()}, m.Entities},
		storedTensor{relationFactors, as, []int{m.NumRelations(), m.Width()}, m.Relations})
	return nil
}

// factors reads them back; nil where a model has none.
func (t *tensorFile) factors(file string) (*Factors, error) {
	text, has := t.Metadata[factorsKey]
	if !has {
		return nil, nil
	}
	f := &Factors{Vectors: &factor.Model{}}
	if err := json.Unmarshal([]byte(text), f); err != nil {
		return nil, corrupt(file, "%q in its metadata: %v", factorsKey, err)
	}
	if err := f.Blend.Check(); err != nil {
		return nil, corrupt(file, "%v", err)
	}
	var err error
	if f.Vectors.Entities, f.Vectors.Rank, err = t.vectors(file, entityFactors); err != nil {
		return nil, err
	}
	rank := 0
	if f.Vectors.Relations, rank, err = t.vectors(file, relationFactors); err == nil && rank != f.Vectors.Rank {
		err = corrupt(file, "vectors of %d numbers for entities and of %d for relations", f.Vectors.Rank, rank)
	}
	return f, err
}

// vectors reads a table of complex vectors.
func (t *tensorFile) vectors(file, name string) (values []float32, rank int, err error) {
	for _, tensor := range t.List {
		if tensor.Name != name {
			continue
		}
		if len(tensor.Shape) != 2 || len(tensor.Values) == 0 || tensor.Shape[1]%2 != 0 || !finite(tensor.Values) {
			return nil, 0, corrupt(file, "tensor %q of shape %v, expected vectors of finite numbers", name, tensor.Shape)
		}
		return tensor.Values, tensor.Shape[1] / 2, nil
	}
	return nil, 0, kg.Errorf(kg.Invalid, file, "tensor %q is missing from the model", name)
}

func finite(values []float32) bool {
	for _, x := range values {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}
