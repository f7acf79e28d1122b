package read_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// atWork counts the goroutines that are in a function whose full name begins so.
func atWork(function string) int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	count := 0
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, function) {
			count++
		}
	}
	return count
}

// nobodyReads waits for the goroutines that read ahead: they end when the read they are in returns.
func nobodyReads(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); atWork("lacuna/kg/read.(") > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a goroutine still reads")
		}
	}
}

// endless gives the same line for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	line := []byte("a\tr\tb\n")
	return copy(p, bytes.Repeat(line, len(p)/len(line)+1)[:len(p)/len(line)*len(line)]), nil
}

func TestNobodyReadsAfterAnError(t *testing.T) {
	long := strings.Repeat("a\tr\tb\n", 1<<20)
	wrong := []struct{ name, text string }{
		{"x.tsv", "a\tr\n" + long},
		{"x.nt", "<a> <b> nothing\n" + strings.Repeat("<a> <b> <c> .\n", 1<<18)},
		{"x.ttl", "@prefix\n" + strings.Repeat("<a> <b> <c> .\n", 1<<18)},
		{"x.tsv.gz", string(gzipped(t, []byte(long))[:5000])},
	}
	for _, c := range wrong {
		if _, err := read.Stream(t.Context(), strings.NewReader(c.text), c.name, read.Options{}); kg.KindOf(err) != kg.Invalid {
			t.Errorf("%s: %v, want an error of kind Invalid", c.name, err)
		}
		nobodyReads(t)
	}
}

// TestNobodyReadsAfterCancellation covers a stream without end and one that gives nothing.
func TestNobodyReadsAfterCancellation(t *testing.T) {
	silent, end := io.Pipe()
	for _, r := range []io.Reader{silent, endless{}} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := read.Stream(ctx, r, "x.tsv", read.Options{})
		expectError(t, err, kg.Cancelled, "reading was stopped")
		cancel()
		end.Close() // as nothing else ends a read that waits for input
		nobodyReads(t)
	}
}

// TestNobodyBuildsAfterCancellation ends the context at several moments after the last byte was read.
func TestNobodyBuildsAfterCancellation(t *testing.T) {
	var text strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&text, "e%d\tr%d\te%d\n", i*7919%100_003, i%50, i*104_729%100_003)
	}
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := func(read, _ int64) {
			if read == int64(text.Len()) {
				time.AfterFunc(delay, cancel)
			}
		}
		_, err := read.Stream(ctx, strings.NewReader(text.String()), "x.tsv", read.Options{Progress: stop})
		if err != nil {
			expectError(t, err, kg.Cancelled, "reading was stopped")
		}
		if building := atWork("lacuna/kg.Build"); building > 0 {
			t.Errorf("cancelled %v after the end: %d goroutines still build", delay, building)
		}
		cancel()
		nobodyReads(t)
	}
}
