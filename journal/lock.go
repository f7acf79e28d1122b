package journal

import (
	"errors"
	"os"
)

// folderLock is what a process holds of a folder that it has to itself.
type folderLock struct {
	file   *os.File // lock
	folder *os.File // nil where the system does not lock folders
}

// Close gives the folder back.
func (l *folderLock) Close() error {
	err := l.file.Close()
	if l.folder != nil {
		err = errors.Join(err, l.folder.Close())
	}
	return err
}
