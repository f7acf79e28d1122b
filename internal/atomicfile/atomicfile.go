// Package atomicfile writes files and folders that appear under their name whole
// or not at all: under a passing name beside it first, synced, then renamed. What a process that was
// killed left under such a name goes when the file is made anew.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// ErrNotAFile is the error of a name that stands for a folder or a device, which a rename would replace.
var ErrNotAFile = errors.New("is a folder or a device, expected the name of a file")

// File is a file that has not got its name yet. It must be committed or aborted.
type File struct {
	*os.File
	path string
}

// Create starts a file. Unlike os.CreateTemp it leaves the permissions to the user's umask, as the file is going to stay.
func Create(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, ErrNotAFile
	}
	sweep(path)
	for {
		file, err := os.OpenFile(passingName(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil && claim(file):
			return &File{file, path}, nil
		case err == nil:
			file.Close() // another's sweep was quicker
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
	}
}

// Commit puts the file safely on disk and gives it its name. A file that cannot have it is removed.
func (f *File) Commit() error {
	err := f.Sync()
	if err == nil {
		err = giveName(f.File, f.path)
	}
	if err != nil {
		f.Abort()
		os.Remove(f.Name())
		return err
	}
	return syncFolder(filepath.Dir(f.path))
}

// Abort removes the file. After Commit it does nothing.
func (f *File) Abort() {
	if f.Close() == nil { // a committed file is closed already
		os.Remove(f.Name())
	}
}

// Write makes a file of the data.
func Write(path string, data []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// Folder makes a new folder, and its parents, whose files fill writes. An empty
// folder of that name is replaced; one that holds anything makes it fail.
func Folder(dir string, fill func(passing string) error) error {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	passing, err := makeFolder(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(passing) // no effect once it has its name
	if err := fill(passing); err != nil {
		return err
	}
	_ = os.Remove(dir) // os.Rename replaces no folder; one that is not empty stays, and the move fails
	if err := os.Rename(passing, dir); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(dir))
}

func makeFolder(dir string) (string, error) {
	for {
		passing := passingName(dir)
		if err := os.Mkdir(passing, 0o777); !errors.Is(err, fs.ErrExist) {
			return passing, err
		}
	}
}

func passingName(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
}

// isPassingName tells whether a file in the folder of path has a passing name of it.
func isPassingName(name, path string) bool {
	random, isOurs := strings.CutPrefix(name, "."+filepath.Base(path)+".")
	random, isPassing := strings.CutSuffix(random, ".tmp")
	_, err := strconv.ParseUint(random, 16, 32)
	return isOurs && isPassing && len(random) == 8 && err == nil
}

// sweep removes the files that earlier attempts at this one left behind when they were killed; those that are being written stay.
func sweep(path string) {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return // which Create says better
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		if isPassingName(name, path) {
			removeStale(filepath.Join(filepath.Dir(path), name))
		}
	}
}

// syncFolder makes a rename in the folder last. Where folders cannot be synced, the system sees to it.
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
