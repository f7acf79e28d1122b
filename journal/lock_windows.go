package journal

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"github.com/lacuna-kg/lacuna/kg"
)

// lockFolder takes the folder for this process. The system gives the lock back when
// the process ends, however it ends; a file that is open cannot be deleted. What is locked lies behind the note.
func lockFolder(folder string) (*folderLock, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, folder, "not a folder for facts: %v", err)
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: 1 << 10}); err != nil {
		file.Close()
		return nil, kg.Errorf(kg.Invalid, folder, "another server keeps its facts in this folder: %v", err)
	}
	return &folderLock{file: file}, nil
}
