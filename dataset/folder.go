package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
)

// WriteFolder makes a new folder whose files fill writes; it appears when all of
// it is written, or not at all. A folder that holds anything is refused: a set is
// never mixed with another.
func WriteFolder(dir string, fill func(passing string) error) error {
	entries, err := os.ReadDir(dir)
	switch {
	case len(entries) > 0:
		return kg.Errorf(kg.Invalid, dir, "the folder is not empty; name a new one or remove it first")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return kg.Errorf(kg.Invalid, dir, "expected the name of a new folder: %v", err)
	}
	return kg.WriteError(dir, atomicfile.Folder(dir, func(passing string) error {
		return inside(dir, passing, fill(passing))
	}))
}

// inside names what went wrong by the folder that the user asked for rather than the passing one.
func inside(dir, passing string, err error) error {
	if err == nil || !strings.Contains(err.Error(), passing) {
		return err
	}
	return kg.Errorf(kg.KindOf(err), "", "%s", strings.ReplaceAll(err.Error(), passing, filepath.Clean(dir)))
}
