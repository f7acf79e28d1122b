package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the screens of the pages as they come out now")

func TestTutorial(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/tutorial")); err != nil {
		t.Fatal(err)
	}
	runPage(t, "../../docs/tutorial.md", dir)
}

// Screens of the embedded graph are those of a second time: at the first, one more line says that probabilities are fitted.
func TestPagesOnTheEmbeddedGraph(t *testing.T) {
	dir := t.TempDir()
	needShell(t)
	runCommand(t, dir, "lacuna ask --quiet")
	for _, page := range []string{"README.md", "docs/sparql.md", "docs/queries.md"} {
		runPage(t, "../../"+page, dir)
	}
}

func needShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the page's commands need sh (on Windows Git for Windows brings it)")
	}
}

// runPage runs the commands of a page in their order and compares what they print.
// The page is the script: blocks marked console run, lines that begin with "$ " are
// commands, what follows is their screen. A line "…" stands for any lines. Other
// blocks, which wait, listen or take long, are for reading only.
func runPage(t *testing.T, file, dir string) {
	needShell(t)
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written := consoleBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		return runBlock(t, dir, block)
	})
	if *update && !t.Failed() {
		if err := os.WriteFile(file, []byte(written), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var consoleBlock = regexp.MustCompile("(?ms)^```console\n.*?^```$")

// runBlock runs a block's commands, compares their screens and gives the block with
// the screens as they came out.
func runBlock(t *testing.T, dir, block string) string {
	body := strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "```")
	var out strings.Builder
	for _, step := range strings.Split("\n"+body, "\n$ ")[1:] {
		command, want := splitStep(step)
		got := runCommand(t, dir, command)
		if *update && !screenMatches(got, want) && !strings.Contains("\n"+want, "\n…\n") {
			want = got // times alone are no change
		}
		if !screenMatches(got, want) {
			t.Errorf("$ %s\nprinted\n%s\nthe page has\n%s", command, got, want)
		}
		out.WriteString("$ " + command + "\n" + want)
	}
	return "```console\n" + out.String() + "```"
}

// splitStep parts a command from its screen. An open quote continues it on the next line.
func splitStep(step string) (command, screen string) {
	lines := strings.SplitAfter(step, "\n")
	n := 1
	for n < len(lines) && strings.Count(strings.Join(lines[:n], ""), "'")%2 == 1 {
		n++
	}
	screen = strings.Join(lines[n:], "")
	if screen != "" && !strings.HasSuffix(screen, "\n") {
		screen += "\n"
	}
	return strings.TrimSuffix(strings.Join(lines[:n], ""), "\n"), screen
}

// runCommand gives what a reader sees: both streams, as they come.
func runCommand(t *testing.T, dir, command string) string {
	var screen bytes.Buffer
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(command, "go run ./cmd/lacuna", "lacuna"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &screen, &screen
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"), "LC_ALL=C.UTF-8", "TMPDIR="+dir)
	if err := cmd.Run(); err != nil && !strings.HasPrefix(screen.String(), "lacuna: ") {
		t.Errorf("$ %s: %v", command, err)
	}
	return trimLines(screen.String())
}

// trimLines drops blanks at the ends of lines, which nobody sees, and lines at the end.
func trimLines(screen string) string {
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	screen = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if screen == "" {
		return ""
	}
	return screen + "\n"
}

// duration is a time that was measured: it differs from run to run.
var duration = regexp.MustCompile(`\b[0-9.]+ (ms|s)\b`)

func screenMatches(got, want string) bool {
	pattern := "\n" + regexp.QuoteMeta(duration.ReplaceAllString(want, "T"))
	pattern = strings.ReplaceAll(pattern, "\n…\n", "\n(?s:(?:.*\n)?)")
	return regexp.MustCompile(`^` + pattern + `$`).MatchString("\n" + duration.ReplaceAllString(got, "T"))
}

func TestScreenMatches(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nc\n", false},
		{"a\nx\ny\nb\n", "a\n…\nb\n", true},
		{"a\nx\ny\n", "a\n…\n", true},
		{"a\nx\ny\n", "a\n…\nb\n", false},
		{"in 3 ms\n", "in 0.5 s\n", true},
		{"0.53 s\n", "0.53\n", false},
		{"", "a\n", false},
	} {
		if screenMatches(c.got, c.want) != c.same {
			t.Errorf("screenMatches(%q, %q) = %v", c.got, c.want, !c.same)
		}
	}
}
