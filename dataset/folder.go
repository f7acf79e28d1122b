package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/kg"
)

// WriteFolder makes a new folder whose files fill writes: under a passing name
// beside it first, so that the folder appears under its own when all of it is
// written, or not at all. A folder that holds anything is refused: a set is never
// mixed with another.
func WriteFolder(dir string, fill func(passing string) error) error {
	entries, err := os.ReadDir(dir)
	switch {
	case len(entries) > 0:
		return kg.Errorf(kg.Invalid, dir, "the folder is not empty; name a new one or remove it first")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return kg.Errorf(kg.Invalid, dir, "expected the name of a new folder: %v", err)
	}
	dir = filepath.Clean(dir)
	passing, err := passingFolder(dir)
	if err != nil {
		return writeError(dir, err)
	}
	defer os.RemoveAll(passing) // no effect once it has its name
	if err := fill(passing); err != nil {
		return err
	}
	if err == nil {
		_ = os.Remove(dir) // os.Rename replaces no folder; one that is no longer empty stays, and the move fails
	}
	if err := os.Rename(passing, dir); err != nil {
		return writeError(dir, err)
	}
	return syncFolder(filepath.Dir(dir))
}

// passingFolder makes a folder beside dir. Unlike os.MkdirTemp it leaves the
// permissions to the user's umask, as the folder is going to stay.
func passingFolder(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	for {
		passing := filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(dir), rand.Uint32()))
		if err := os.Mkdir(passing, 0o777); !errors.Is(err, fs.ErrExist) {
			return passing, err
		}
	}
}
