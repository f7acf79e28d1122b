package dataset

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// TestFolderErrorsNameTheFolder fails while a file of the folder is written, as a full disk does.
func TestFolderErrorsNameTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	err := WriteFolder(dir, func(passing string) error {
		return fmt.Errorf("%s: not written: no space left", filepath.Join(passing, GraphFile))
	})
	want := filepath.Join(dir, GraphFile) + ": not written: no space left"
	if err == nil || err.Error() != want || kg.KindOf(err) != kg.Failure {
		t.Errorf("%v, want %s", err, want)
	}
}
