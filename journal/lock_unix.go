//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/lacuna-kg/lacuna/kg"
)

// lockFolder takes the folder for this process: the folder itself, whatever becomes of the files in it, and a file in it for
// disks that lock only these. The system gives the locks back when the process ends, however it ends.
func lockFolder(folder string) (*folderLock, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, folder, "not a folder for facts: %v", err)
	}
	l := &folderLock{file: file}
	if l.folder, err = os.Open(folder); err == nil {
		err = lock(l.folder)
	}
	if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) {
		err = lock(file)
	}
	if err == nil {
		return l, nil
	}
	l.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, kg.Errorf(kg.Invalid, folder, "another server keeps its facts in this folder")
	}
	return nil, kg.Errorf(kg.Failure, folder, "the folder cannot be locked: %v", err)
}

func lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
