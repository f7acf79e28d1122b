package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// events writes lines "action package test output" as go test -json does; "-" stands for no test.
func events(t *testing.T, lines ...[]string) string {
	var b strings.Builder
	for _, l := range lines {
		e := map[string]string{"Action": l[0], "Package": l[1]}
		if l[2] != "-" {
			e["Test"] = l[2]
		}
		if len(l) > 3 {
			e["Output"] = l[3]
		}
		if err := json.NewEncoder(&b).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

var passed = [][]string{
	{"start", "a", "-"},
	{"output", "a", "TestOne", "=== RUN   TestOne\n"},
	{"output", "a", "TestOne", "    one_test.go:3: all is well\n"},
	{"output", "a", "TestOne", "--- PASS: TestOne (0.00s)\n"},
	{"pass", "a", "TestOne"},
	{"output", "a", "TestTwo", "=== RUN   TestTwo\n"},
	{"output", "a", "TestTwo", "    one_test.go:7: looking\n"},
	{"output", "a", "TestTwo", "    one_test.go:8: needs node:\n"},
	{"output", "a", "TestTwo", "        apt install nodejs\n"},
	{"output", "a", "TestTwo", "--- SKIP: TestTwo (0.00s)\n"},
	{"skip", "a", "TestTwo"},
	{"output", "a", "TestThree/sub", "    one_test.go:8: needs node: apt install nodejs\n"},
	{"skip", "a", "TestThree/sub"},
	{"output", "a", "-", "PASS\n"},
	{"output", "a", "-", "ok  \ta\t0.1s\n"},
	{"pass", "a", "-"},
	{"output", "none", "-", "?   \tnone\t[no test files]\n"},
	{"skip", "none", "-"},
}

var failed = [][]string{
	{"output", "b", "TestGood", "    b_test.go:1: of no interest\n"},
	{"pass", "b", "TestGood"},
	{"output", "b", "TestBad", "=== RUN   TestBad\n"},
	{"output", "b", "TestBad", "    b_test.go:9: got 1, want 2\n"},
	{"output", "b", "TestBad", "--- FAIL: TestBad (0.00s)\n"},
	{"fail", "b", "TestBad"},
	{"output", "b", "TestHangs", "panic: test timed out\n"},
	{"output", "b", "-", "FAIL\tb\t0.1s\n"},
	{"fail", "b", "-"},
}

func printed(t *testing.T, text string, verbose bool) string {
	var out strings.Builder
	if err := run(strings.NewReader(text), &out, "", verbose); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSkipsAreListedByReason(t *testing.T) {
	const want = "ok  \ta\t0.1s\n?   \tnone\t[no test files]\n- needs node: apt install nodejs\n    a TestThree/sub\n    a TestTwo\n"
	if got := printed(t, events(t, passed...), false); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestFailuresArePrinted(t *testing.T) {
	text := "go: a warning\n" + events(t, []string{"build-output", "", "-", "c.go:1: no\n"}) + events(t, failed...)
	const want = "go: a warning\nc.go:1: no\n    b_test.go:9: got 1, want 2\n--- FAIL: TestBad (0.00s)\npanic: test timed out\nFAIL\tb\t0.1s\nFAIL\n"
	if got := printed(t, text, false); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestVerbosePrintsAll(t *testing.T) {
	got := printed(t, events(t, passed...), true)
	for _, part := range []string{"=== RUN   TestOne\n", "all is well", "--- SKIP: TestTwo", "PASS\n", "ok  \ta\t0.1s\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q lacks %q", got, part)
		}
	}
}

func TestListIsAddedToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(file, []byte("- no npm\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(strings.NewReader(events(t, passed...)), &out, file, false); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(list); !strings.HasPrefix(got, "- no npm\n- needs node") || strings.Contains(out.String(), "needs node") {
		t.Errorf("the file has %q, the output %q", got, out.String())
	}
}
