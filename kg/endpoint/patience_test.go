package endpoint

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// nobody is an address where nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// Who was never there is not waited for: an hour between attempts would be noticed.
func TestNobodyIsNotWaitedFor(t *testing.T) {
	opts := Options{Wait: time.Hour, Waiting: func(why error, _ time.Duration) { t.Errorf("waits: %v", why) }}
	_, _, err := Copy(t.Context(), "http://"+nobody(t)+"/sparql", t.TempDir(), opts)
	if kg.KindOf(err) != kg.Failure || !strings.Contains(err.Error(), "refused") {
		t.Errorf("the endpoint: %v", err)
	}
	for _, scheme := range []string{"bolt://", "neo4j://"} {
		_, _, err = CopyNeo4j(t.Context(), scheme+nobody(t), t.TempDir(), opts)
		if kg.KindOf(err) != kg.Failure || !strings.Contains(err.Error(), "refused") {
			t.Errorf("the database by %s: %v", scheme, err)
		}
	}
}

// A server that is busy is asked again, and each pause is announced with its reason; so is one that was there and is gone.
func TestPausesAreAnnounced(t *testing.T) {
	asked := 0
	var busy *httptest.Server
	busy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 2 {
			busy.Listener.Close()
			w.Header().Set("Connection", "close")
		}
		http.Error(w, "later", http.StatusServiceUnavailable)
	}))
	defer busy.Close()
	var said []string
	opts := Options{Wait: time.Millisecond, Waiting: func(why error, pause time.Duration) {
		said = append(said, pause.String()+" "+why.Error())
	}}
	if _, _, err := Copy(t.Context(), busy.URL, t.TempDir(), opts); err == nil {
		t.Fatal("a server that is busy was copied")
	}
	if len(said) < attempts-1 || !strings.HasPrefix(said[0], "1ms ") || !strings.HasPrefix(said[1], "2ms ") ||
		!strings.Contains(said[0], "503") || !strings.Contains(said[2], "refused") {
		t.Errorf("said %q", said)
	}
}
