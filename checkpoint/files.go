package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

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

func readFile(path string) (*Tensors, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, readError(path, err)
	}
	return Decode(data, path)
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
	// The passing name is always the same, so that what a killed process leaves is overwritten by the next.
	passing := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	err := writeSynced(passing, data)
	if err == nil {
		err = os.Rename(passing, path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		os.Remove(passing)
		return fmt.Errorf("%s: not written: %w", path, err)
	}
	return nil
}

func writeSynced(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder makes a rename last. Where folders cannot be synced, the system sees to it.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
