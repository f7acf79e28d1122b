//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/lacuna-kg/lacuna/kg"
)

// lockFolder takes the folder for this process. The system gives the lock back when
// the process ends, however it ends.
func lockFolder(folder string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, folder, "not a folder for facts: %v", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, kg.Errorf(kg.Invalid, folder, "another server keeps its facts in this folder")
	}
	return nil, kg.Errorf(kg.Failure, folder, "the folder cannot be locked: %v", err)
}
