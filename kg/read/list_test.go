package read

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func TestLists(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"films", "birds", ".git"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "list.txt")
	if err := os.WriteFile(text, []byte("films # of all\n\n# none\n  more/towns.tsv\n/far/away\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path    string
		without []string
		want    []string
	}{
		{dir, nil, []string{filepath.Join(dir, "birds"), filepath.Join(dir, "films"), filepath.Join(dir, "linked")}},
		{dir, []string{"birds", "linked"}, []string{filepath.Join(dir, "films")}},
		{text, nil, []string{filepath.Join(dir, "films"), filepath.Join(dir, "more/towns.tsv"), "/far/away"}},
		{text, []string{"away", "films"}, []string{filepath.Join(dir, "more/towns.tsv")}},
	} {
		if got, err := Lists([]string{c.path}, c.without); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s without %v: %v, %v, expected %v", c.path, c.without, got, err, c.want)
		}
	}
	for want, c := range map[string]struct {
		path    string
		without []string
	}{
		`no graph "cars" to leave out`: {dir, []string{"cars"}},
		"found none":                   {filepath.Join(dir, "films"), nil},
		"no such file":                 {filepath.Join(dir, "nowhere"), nil},
	} {
		if _, err := Lists([]string{c.path}, c.without); err == nil || !strings.Contains(err.Error(), want) || kg.KindOf(err) == kg.Failure {
			t.Errorf("%s without %v: error %v, expected %s", c.path, c.without, err, want)
		}
	}
}
