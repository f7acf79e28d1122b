package read

import (
	"io"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// broken panics where it is read.
type broken struct{}

func (broken) Read([]byte) (int, error) { panic("a broken decoder") }

// Files are read by a goroutine of their own: a panic there is an error of the file, not the end of the process.
func TestPanicsOfReadersAreErrors(t *testing.T) {
	_, err := Stream(t.Context(), io.MultiReader(broken{}), "a.tsv", Options{Format: TSV})
	if kg.KindOf(err) != kg.Failure {
		t.Errorf("%v, want a failure", err)
	}
}
