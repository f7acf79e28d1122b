package read

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Lists names the sources of many graphs. A list is a text that has one a line, relative to it, where # begins a
// remark, or a folder whose folders are graphs. Those called as without says are left out, and
// each of these must be there: a name that nobody has is a slip.
func Lists(lists, without []string) ([]string, error) {
	var sources []string
	left := map[string]bool{}
	for _, path := range lists {
		all, err := list(path)
		if err != nil {
			return nil, err
		}
		for _, source := range all {
			if name := filepath.Base(source); slices.Contains(without, name) {
				left[name] = true
			} else {
				sources = append(sources, source)
			}
		}
	}
	for _, name := range without {
		if !left[name] {
			return nil, kg.Errorf(kg.NotFound, strings.Join(lists, ", "), "no graph %q to leave out", name)
		}
	}
	return sources, nil
}

func list(path string) (sources []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, kg.ReadError(path, err)
	}
	if info.IsDir() {
		sources, err = foldersIn(path)
	} else {
		sources, err = listedIn(path)
	}
	if err == nil && len(sources) == 0 {
		return nil, kg.Errorf(kg.Invalid, path, "expected a list of graphs or a folder that holds some, found none")
	}
	return sources, err
}

func listedIn(path string) (sources []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, kg.ReadError(path, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(filepath.Dir(path), line)
		}
		sources = append(sources, line)
	}
	return sources, nil
}

func foldersIn(path string) (sources []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, kg.ReadError(path, err)
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if info, err := os.Stat(name); err == nil && info.IsDir() && !strings.HasPrefix(e.Name(), ".") { // or what a link points to
			sources = append(sources, name)
		}
	}
	return sources, nil
}
