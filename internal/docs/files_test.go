package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var quoted = regexp.MustCompile("`([^`]+)`")

// TestFirstFiles holds the table of packages in ARCHITECTURE.md to what there is: each
// row names a package and, in its last column, the files to read first.
func TestFirstFiles(t *testing.T) {
	rows := 0
	for line := range strings.Lines(read(t, "ARCHITECTURE.md")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.Contains(cells[3], "`") {
			continue
		}
		rows++
		dir := packageOf(cells[1])
		for _, file := range quoted.FindAllStringSubmatch(cells[3], -1) {
			if !exists(path.Join(dir, file[1])) {
				t.Errorf("ARCHITECTURE.md: %s has no file %s to read first", dir, file[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("only %d packages found in ARCHITECTURE.md", rows)
	}
}

// packageOf is the folder of the package that a row is about.
func packageOf(cell string) string {
	name := quoted.FindStringSubmatch(cell)
	if name == nil || strings.Contains(cell, "(root)") {
		return "."
	}
	return name[1]
}

// TestNamedFilesExist looks at the files that documents name by their path. The
// records of trials and the changelog may speak of what is gone.
func TestNamedFilesExist(t *testing.T) {
	named := regexp.MustCompile(`^[\w-]+(/[\w.-]+)+\.(go|sh|cu|ts|md|s|tsv|csv|json)$`)
	found := 0
	for _, name := range files(t, ".md") {
		if strings.HasPrefix(name, "docs/lab/") || name == "CHANGELOG.md" {
			continue
		}
		for line := range strings.Lines(read(t, name)) {
			if strings.HasPrefix(line, "|") && name == "ARCHITECTURE.md" {
				continue // files of the table's packages: TestFirstFiles
			}
			for _, match := range quoted.FindAllStringSubmatch(line, -1) {
				if !named.MatchString(match[1]) {
					continue
				}
				found++
				if !exists(match[1]) && !exists(path.Join(path.Dir(name), match[1])) {
					t.Errorf("%s names %s, which is not there", name, match[1])
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d files are named in documents: the expression is wrong", found)
	}
}

// exists tells whether a path of the repository is there.
func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, name))
	return err == nil
}
