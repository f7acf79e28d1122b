package coverage

import (
	"encoding/json"
	"os"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
)

// Scores are those of hidden facts, by relation and direction, as JSON.
type Scores struct {
	Of   map[kg.Relation][]float32 `json:"of"`
	Seed uint64                    `json:"seed,omitempty"`
}

// Hidden is how many there are.
func (s *Scores) Hidden() (n int) {
	for _, list := range s.Of {
		n += len(list)
	}
	return n
}

// Write writes them as a whole.
func (s *Scores) Write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return kg.WriteError(path, atomicfile.Write(path, append(text, '\n')))
}

// Read reads them.
func Read(path string) (*Scores, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, kg.ReadError(path, err)
	}
	var s Scores
	if err := json.Unmarshal(text, &s); err != nil || len(s.Of) == 0 {
		return nil, kg.Errorf(kg.Invalid, path, "not the scores of hidden facts: expected the JSON that a question with --coverage writes")
	}
	return &s, nil
}
