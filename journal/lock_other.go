//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package journal

import (
	"os"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/kg"
)

// lockFolder opens the lock file alone: this system has no lock that ends with its
// process, and one that stays behind after a crash would keep the facts from their owner.
func lockFolder(folder string) (*folderLock, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, folder, "not a folder for facts: %v", err)
	}
	return &folderLock{file: file}, nil
}
