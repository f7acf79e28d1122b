package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// dial opens a connection and sends the beginning of a request.
func dial(t *testing.T, server *httptest.Server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestSlowBodiesLockNobodyOut sends more bodies than there may be requests, each without its end.
func TestSlowBodiesLockNobodyOut(t *testing.T) {
	s := small(t, Limits{Requests: 8})
	server := httptest.NewServer(s.Handler(Guard{Hosts: LoopbackHosts}))
	defer func() { server.CloseClientConnections(); server.Close() }()
	var first net.Conn
	for i := range 12 {
		conn := dial(t, server, "POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		if i == 0 {
			first = conn
			eventually(t, func() bool { return s.receptions.count() == 1 })
		}
	}
	eventually(t, func() bool { return s.receptions.count() == 8 })
	if response, body := call(t, "GET", server.URL+"/api/info", ""); response.StatusCode != 200 {
		t.Errorf("%d %s beside slow bodies", response.StatusCode, body)
	}
	if response, body := call(t, "POST", server.URL+"/api/ask", `{"question": "?x : nothing(x, y)"}`); response.StatusCode == 429 {
		t.Errorf("%d %s: a body that comes at once is refused", response.StatusCode, body)
	}
	first.SetReadDeadline(time.Now().Add(5 * time.Second))
	if answer, err := http.ReadResponse(bufio.NewReader(first), nil); err != nil || answer.StatusCode != 429 {
		t.Errorf("the oldest was told %v, %v", answer, err)
	}
}

func (ts *transfers) count() int {
	ts.mutex.Lock()
	defer ts.mutex.Unlock()
	return ts.open.Len()
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for range 500 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it never came to that")
}

// TestSlowReadersHoldNoPlace leaves more large answers unread than there are places.
func TestSlowReadersHoldNoPlace(t *testing.T) {
	s := small(t, Limits{Time: 20 * time.Second})
	large := s.Limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("small") {
			fmt.Fprint(w, "done")
			return
		}
		block := make([]byte, 1<<20)
		for range 64 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	server := httptest.NewServer(s.Handler(Guard{Hosts: LoopbackHosts}, Mount{Pattern: "/large", Handler: large}))
	defer func() { server.CloseClientConnections(); server.Close() }()
	places := runtime.GOMAXPROCS(0)
	for range places + 2 {
		dial(t, server, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	eventually(t, func() bool { return s.deliveries.count() == places+2 })
	done := make(chan string)
	go func() {
		_, body := call(t, "GET", server.URL+"/large?small", "")
		done <- body
	}()
	select {
	case body := <-done:
		if body != "done" {
			t.Errorf("%q", body)
		}
	case <-time.After(5 * time.Second):
		t.Error("unread answers hold all places")
	}
	if working := s.working.Load(); working != 0 {
		t.Errorf("%d requests at work, though all wait for their readers", working)
	}
}
