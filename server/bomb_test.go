package server

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// packed is a text, repeated, in gzip.
func packed(t *testing.T, text string, times int) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	for range times {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestBombsAreRefused brings files that unpack to more than the limit.
func TestBombsAreRefused(t *testing.T) {
	s := small(t, Limits{Unpacked: 1 << 20}, taking(t))
	base := serve(t, s).URL
	for name, file := range map[string]string{
		"bomb.tsv.gz": packed(t, strings.Repeat("a\tb\tc\n", 10000), 50),
		"long.nt.gz":  packed(t, strings.Repeat("a", 1<<20), 3),
		"plain.tsv":   strings.Repeat("a\tb\tc\n", 400_000),
	} {
		if status, _, body := bring(t, base+"/api/graph?as=add&name="+name, file); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status, read, body := bring(t, base+"/api/graph?as=add&name=fine.tsv.gz", packed(t, "a\tb\tc\n", 1000)); status != 200 || read.Facts != 1 {
		t.Errorf("%d %s", status, body)
	}
}

// TestStalledFilesLockNobodyOut begins more files than there may be requests, and sends no more of them.
func TestStalledFilesLockNobodyOut(t *testing.T) {
	s := small(t, Limits{Requests: 8}, taking(t))
	server := httptest.NewServer(s.Handler(Guard{Hosts: LoopbackHosts}))
	defer func() { server.CloseClientConnections(); server.Close() }()
	for i := range 20 {
		dial(t, server, fmt.Sprintf("POST /api/graph?as=add&name=%d.tsv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\na\tb\tc\n", i))
	}
	eventually(t, func() bool { n, _ := s.uploads.queue.state(); return n == waitingUploads })
	if working := s.working.Load(); working != 0 {
		t.Errorf("files count as %d requests at work", working)
	}
	for _, path := range []string{"/api/info", "/api/entity?name=Rome"} {
		if response, body := call(t, "GET", server.URL+path, ""); response.StatusCode != 200 {
			t.Errorf("%d %s beside stalled files", response.StatusCode, body)
		}
	}
}

// TestFilesComeSteadily checks until when the next bytes of a file have to come.
func TestFilesComeSteadily(t *testing.T) {
	begun := time.Unix(1000, 0)
	for _, c := range []struct {
		after time.Duration
		read  int64
		want  time.Duration // after it began
	}{
		{0, 0, stall},
		{5 * time.Second, 0, 5*time.Second + stall},
		{15 * time.Second, 0, 2 * stall}, // nothing on average
		{15 * time.Second, 10 * leastBps, 15*time.Second + stall},
		{time.Hour, 10 * leastBps, 2*stall + 10*time.Second},
	} {
		b := &steady{waited: c.after, read: c.read}
		if got := b.deadline(begun.Add(c.after)).Sub(begun); got != c.want {
			t.Errorf("after %v and %d bytes: %v, want %v", c.after, c.read, got, c.want)
		}
	}
}

// TestGreedyTransfersGiveWay fills the memory for bodies by one client: its own are ended, another's are not.
func TestGreedyTransfersGiveWay(t *testing.T) {
	ts := newReceptions(10)
	ts.bytes = 100
	begin := func(client string, bytes int) *transfer {
		transfer, _ := ts.begin(client, httptest.NewRecorder())
		ts.hold(transfer, bytes)
		return transfer
	}
	modest := begin("modest", 30)
	first, second := begin("greedy", 40), begin("greedy", 25)
	last := begin("greedy", 30)
	if modest.stopped.Load() || !first.stopped.Load() || second.stopped.Load() || last.stopped.Load() || ts.held != 85 {
		t.Errorf("stopped: %v %v %v %v, %d bytes are held", modest.stopped.Load(), first.stopped.Load(), second.stopped.Load(), last.stopped.Load(), ts.held)
	}
}
