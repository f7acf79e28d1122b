package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
)

// The files of a training folder.
const (
	BestFile  = "best.safetensors"  // the model that did best on validation
	LastFile  = "last.safetensors"  // the model as it is now
	StateFile = "state.safetensors" // what training needs to go on
)

// Find says which file a user means by a path: the file itself, or the best model
// of a training folder, or its last where none was validated yet.
func Find(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", readError(path, err)
	}
	if !info.IsDir() {
		return path, nil
	}
	for _, name := range []string{BestFile, LastFile} {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return filepath.Join(path, name), nil
		}
	}
	return "", kg.Errorf(kg.NotFound, path, "the folder holds no model: expected %s or %s", BestFile, LastFile)
}

func readFile(path string) (*tensorFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, readError(path, err)
	}
	return decode(data, path)
}

func readError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return kg.Errorf(kg.NotFound, path, "there is no such model")
	}
	return err
}

// WriteFile puts data under a name such that, whenever the process ends, the name
// stands for the old contents or the new ones and both are whole.
func WriteFile(path string, data []byte) error {
	return kg.WriteError(path, atomicfile.Write(path, data))
}

// Sweep removes what killed processes left of the given files of a folder before these
// had their names. Nobody may be writing to the folder.
func Sweep(dir string, names ...string) error {
	for _, name := range names {
		left, err := filepath.Glob(filepath.Join(escape(dir), "."+escape(name)+".*.tmp"))
		for _, path := range left {
			err = errors.Join(err, os.Remove(path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// escape makes a pattern of a path that stands for itself.
func escape(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}
