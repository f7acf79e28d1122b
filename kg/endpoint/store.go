package endpoint

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
)

// state is how far a copy of an endpoint is.
type state struct {
	Address    string      `json:"address"`
	Graph      string      `json:"graph,omitempty"`
	Predicates []predicate `json:"predicates"`
	Next       int         `json:"next"`      // the predicate that is being copied
	Offset     int64       `json:"offset"`    // of its next row
	Unordered  bool        `json:"unordered"` // the endpoint does not sort it
	Bytes      int64       `json:"bytes"`     // of facts that count
	Report     Report      `json:"report"`
}

func (s *state) length() *int64 { return &s.Bytes }

type predicate struct {
	IRI   string `json:"iri"`
	Count int64  `json:"count"` // -1 if unknown
}

// total is the number of facts that the endpoint counts, 0 where it did not.
func (s *state) total() int64 {
	sum := int64(0)
	for _, p := range s.Predicates {
		if p.Count < 0 {
			return 0
		}
		sum += p.Count
	}
	return sum
}

// progress is how far a copy is, of whatever kind. It is written after the facts it counts, so that
// what stands behind length in their file belongs to a page that was not finished.
type progress interface{ length() *int64 }

// store is a copy on the disk: a folder with the facts and how far it is.
type store struct {
	state progress
	path  string // of the state
	facts *os.File
}

// openStore begins a copy, or reads into state how far the one is that is there.
func openStore(folder, name string, state progress) (*store, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, kg.WriteError(folder, err)
	}
	s := &store{path: filepath.Join(folder, "state.json"), state: state}
	data, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, kg.Errorf(kg.Failure, s.path, "%v", err)
	default:
		if err := json.Unmarshal(data, state); err != nil {
			return nil, kg.Errorf(kg.Invalid, s.path, "not the state of a copy: %v; remove the folder to start again", err)
		}
	}
	if s.facts, err = os.OpenFile(filepath.Join(folder, name), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, kg.WriteError(folder, err)
	}
	return s, s.rewind()
}

// ofAnother refuses to go on with the copy of something else.
func ofAnother(folder, address string) error {
	return kg.Errorf(kg.Invalid, folder, "holds a part of a copy of %s; remove it, or finish that one", address)
}

// rewind drops what an unfinished page left.
func (s *store) rewind() error {
	length := *s.state.length()
	if info, err := s.facts.Stat(); err != nil || info.Size() < length {
		return kg.Errorf(kg.Invalid, s.facts.Name(), "shorter than its state says: remove the folder to start again")
	}
	if err := s.facts.Truncate(length); err != nil {
		return kg.WriteError(s.facts.Name(), err)
	}
	_, err := s.facts.Seek(length, 0)
	return err
}

// save adds a page and then states that it is there.
func (s *store) save(page []byte) error {
	if len(page) > 0 {
		if _, err := s.facts.Write(page); err != nil {
			return kg.WriteError(s.facts.Name(), err)
		}
		if err := s.facts.Sync(); err != nil {
			return kg.WriteError(s.facts.Name(), err)
		}
		*s.state.length() += int64(len(page))
	}
	data, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	return kg.WriteError(s.path, atomicfile.Write(s.path, data))
}

func (s *store) close() { s.facts.Close() }
