//go:build unix

package snapshot

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func TestOpenDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("the file system of %s has no named pipes (choose another by TMPDIR): %v", t.TempDir(), err)
	}
	refused(t, path, kg.Invalid, "not a regular file")
}
