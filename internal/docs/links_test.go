// Package docs holds the documents of the repository together: every link between
// them leads somewhere, and so does every document that a comment or message names.
package docs

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

const root = "../.."

// page is what others may link to in a document, and what it links to itself.
type page struct {
	anchors map[string]bool
	links   []string
}

func TestLinksResolve(t *testing.T) {
	pages := map[string]page{}
	for _, name := range files(t, ".md") {
		pages[name] = readPage(t, name)
	}
	if len(pages) < 10 {
		t.Fatalf("only %d documents found", len(pages))
	}
	links := 0
	for name, p := range pages {
		for _, link := range p.links {
			links++
			if why := broken(pages, name, link); why != "" {
				t.Errorf("%s: the link (%s): %s", name, link, why)
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links found", links)
	}
}

// broken says what is wrong with a link of a document, "" for nothing.
func broken(pages map[string]page, from, link string) string {
	target, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	if target.Scheme != "" {
		return "" // elsewhere: not for this test
	}
	path := from
	if target.Path != "" {
		path = filepath.ToSlash(filepath.Join(filepath.Dir(from), target.Path))
	}
	if _, err := os.Stat(filepath.Join(root, path)); err != nil {
		return "no such file"
	}
	if p, isPage := pages[path]; isPage && target.Fragment != "" && !p.anchors[target.Fragment] {
		return "no such heading in " + path
	}
	return ""
}

// TestNamedDocumentsExist looks at what code and scripts name in comments and messages.
func TestNamedDocumentsExist(t *testing.T) {
	named := regexp.MustCompile(`\b(?:docs|models|turing|kernel)/[\w./-]*\.md\b`)
	found := 0
	for _, name := range files(t, ".go", ".sh", ".ts", ".json", ".cu") {
		for _, document := range named.FindAllString(read(t, name), -1) {
			found++
			if _, err := os.Stat(filepath.Join(root, document)); err != nil {
				t.Errorf("%s names %s, which is not there", name, document)
			}
		}
	}
	if found == 0 {
		t.Error("no document is named anywhere: the expression is wrong")
	}
}

func TestAnchor(t *testing.T) {
	for heading, want := range map[string]string{
		"The graph":                             "the-graph",
		"FB15k-237, the paper's configuration":  "fb15k-237-the-papers-configuration",
		"`lacuna info --fit`, and what it says": "lacuna-info---fit-and-what-it-says",
		"[models](models/README.md) of the day": "models-of-the-day",
	} {
		if got := anchor(heading); got != want {
			t.Errorf("anchor(%q) = %q, expected %q", heading, got, want)
		}
	}
}

// files lists the files of the repository with one of the extensions; what was
// installed or is hidden is not the repository's.
func files(t *testing.T, extensions ...string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && path != root
		if entry.IsDir() && (hidden || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		for _, extension := range extensions {
			if !entry.IsDir() && strings.HasSuffix(path, extension) {
				name, err := filepath.Rel(root, path)
				names = append(names, filepath.ToSlash(name))
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	linkPattern   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	inlineCode    = regexp.MustCompile("`[^`]*`")
	headingFormat = regexp.MustCompile(`^#{1,6} +(.*?) *#*$`)
	linkedText    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// readPage takes headings and links from a document, those in code left out.
func readPage(t *testing.T, name string) page {
	t.Helper()
	p := page{anchors: map[string]bool{}}
	fenced := false
	for line := range strings.Lines(read(t, name)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(line, "    "):
			continue
		default:
			p.take(line)
		}
	}
	if fenced {
		t.Errorf("%s: a code block is not closed", name)
	}
	return p
}

// take adds a line of text: its heading, if it is one, and its links.
func (p *page) take(line string) {
	if heading := headingFormat.FindStringSubmatch(line); heading != nil {
		p.anchors[anchor(heading[1])] = true
	}
	for _, match := range linkPattern.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
		p.links = append(p.links, match[1])
	}
}

// anchor is the name by which GitHub links to a heading: lower case, hyphens for
// spaces, punctuation left out. Of headings that share a name only
// the first can be linked to so, which is all this knows.
func anchor(heading string) string {
	heading = linkedText.ReplaceAllString(heading, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
