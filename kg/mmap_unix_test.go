//go:build unix

package kg

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestOpenSnapshotDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("the file system of %s has no named pipes (choose another by TMPDIR): %v", t.TempDir(), err)
	}
	refused(t, path, Invalid, "not a regular file")
}
