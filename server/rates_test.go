package server

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := newRates(100), time.Now()
		for i := range 30 {
			r.wait(t.Context(), "greedy", 10)
			if got, want := time.Since(began), max(0, time.Duration(i-9)*100*time.Millisecond); got != want {
				t.Errorf("%d bytes after %v, want %v", 10*(i+1), got, want)
			}
		}
		if r.take("another", 10, time.Now()) > 0 {
			t.Error("another client waits for it")
		}
		time.Sleep(time.Minute)
		if r.take("greedy", 100, time.Now()) > 0 || r.take("greedy", 1, time.Now()) <= 0 {
			t.Error("after a pause a second's worth may come at once, and no more")
		}
	})
}

// TestLargeBodiesOfAClientOneAtATime has a client send large bodies, as fast as it can: one is handled at a time, and another client's beside it.
func TestLargeBodiesOfAClientOneAtATime(t *testing.T) {
	s := small(t, Limits{})
	began, proceed := make(chan string, 10), make(chan struct{})
	handler := s.OneLarge(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		began <- clientOf(r.Context())
		<-proceed
	}))
	for _, client := range []string{"greedy", "greedy", "greedy"} {
		go handler.ServeHTTP(nil, largeRequest(t, client))
	}
	<-began
	waitFor(t, 2, s.large.queue)
	go handler.ServeHTTP(nil, largeRequest(t, "another"))
	if client := <-began; client != "another" {
		t.Errorf("%s has a second one", client)
	}
	close(proceed)
	<-began
	<-began
}

func largeRequest(t *testing.T, client string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(withClient(t.Context(), client), "POST", "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = largeBody + 1
	return request
}
