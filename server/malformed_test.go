package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// corpus reads the committed requests: the first line is method and path, the rest the body.
func corpus(t testing.TB, kind string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", kind, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus of %s requests: %v", kind, err)
	}
	requests := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		requests[filepath.Base(file)] = data
	}
	return requests
}

// raw is a request as it goes over the wire, whatever it is.
func raw(request []byte) []byte {
	line, body, _ := bytes.Cut(request, []byte("\n"))
	return fmt.Appendf(nil, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", line, len(body), body)
}

// send gives the status of what the server answers, 0 where it just closes.
func send(t *testing.T, address string, data []byte) int {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = conn.Write(data) // a server that has read enough may close first
	_ = conn.(*net.TCPConn).CloseWrite()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// TestMalformedRequests sends the committed ones and a thousand more made of them:
// none may get a 5xx, break the server or leave a goroutine behind.
func TestMalformedRequests(t *testing.T) {
	s := demo(t, Limits{Time: 10 * time.Second})
	before := runtime.NumGoroutine()
	server := httptest.NewServer(s.Handler(Guard{Hosts: LoopbackHosts}))
	address := server.Listener.Addr().String()
	malformed := corpus(t, "malformed")
	for name, request := range malformed {
		if status := send(t, address, raw(request)); status < 400 || status > 499 {
			t.Errorf("%s gets %d, want 4xx", name, status)
		}
	}
	var seeds [][]byte
	for _, kind := range []string{"malformed", "valid"} {
		for _, request := range corpus(t, kind) {
			seeds = append(seeds, request)
		}
	}
	rng := rand.New(rand.NewPCG(4, 2))
	refused := 0
	for i := 0; refused < 1000; i++ {
		if i > 10_000 {
			t.Fatalf("%d of %d mutants were refused: they are too tame", refused, i)
		}
		data := raw(mutate(rng, seeds[rng.IntN(len(seeds))]))
		if rng.IntN(10) == 0 {
			data = mutate(rng, data) // what is not even HTTP
		}
		switch status := send(t, address, data); {
		case status >= 500:
			t.Errorf("%d for %q", status, data)
		case status >= 400:
			refused++
		}
	}
	server.Close()
	if panics := value(t, s.metrics.panics); panics != 0 {
		t.Errorf("%v requests panicked", panics)
	}
	noLeak(t, before)
	if _, err := s.Ask(t.Context(), AskRequest{Question: DemoQuestions[0].Question}); err != nil {
		t.Errorf("a good question afterwards: %v", err)
	}
}

// noLeak waits for goroutines that are about to end.
func noLeak(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

// mutate damages a request in one of a few ways, now and then several times.
func mutate(rng *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for more := true; more && len(data) > 0; more = rng.IntN(3) == 0 {
		at := rng.IntN(len(data))
		switch rng.IntN(5) {
		case 0:
			data = data[:at]
		case 1:
			data[at] = byte(rng.IntN(256))
		case 2:
			data = append(data[:at], data[min(len(data), at+1+rng.IntN(8)):]...)
		case 3:
			scraps := []string{"{", "}", "[", `"`, "\\u0000", "-1", "1e999", "null", "\xff", "(", "∃", "%zz", "\x00", "true", "?x : ", "P[", "C(", "N("}
			scrap := scraps[rng.IntN(len(scraps))]
			data = append(data[:at], append([]byte(scrap), data[at:]...)...)
		case 4:
			data = append(data, data[at:]...)
		}
	}
	return data
}

// FuzzRequest sends anything to the handler: never a 5xx, never a panic.
func FuzzRequest(f *testing.F) {
	for _, kind := range []string{"malformed", "valid"} {
		for _, request := range corpus(f, kind) {
			line, body, _ := bytes.Cut(request, []byte("\n"))
			method, target, _ := bytes.Cut(line, []byte(" "))
			f.Add(string(method), string(target), body)
		}
	}
	s := small(f, Limits{Time: 10 * time.Second, Window: time.Microsecond, Facts: 3})
	handler := s.Handler(Guard{})
	f.Fuzz(func(t *testing.T, method, target string, body []byte) {
		request, err := http.NewRequest(method, "http://localhost"+target, bytes.NewReader(body))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		if response.Code >= 500 || value(t, s.metrics.panics) != 0 {
			t.Errorf("%s %s %q: %d %s", method, target, body, response.Code, response.Body)
		}
	})
}
