package server

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
)

// decodeLines decodes JSON lines.
func decodeLines(t *testing.T, text string) (lines []gaps.Line) {
	t.Helper()
	for text := range strings.Lines(text) {
		var l gaps.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestPredictionsAreStreamed(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	response, text := call(t, "POST", base+"/api/predict", `{"relation": "CitizenOf", "entities": ["Yoshua Bengio", "Alan Kay"], "top": 2, "least": 0.0001, "why": true}`)
	lines := decodeLines(t, text)
	if response.Header.Get("Content-Type") != "application/x-ndjson" || len(lines) != 4 {
		t.Fatalf("%v %s", response.Header, text)
	}
	if lines[0].Head != "Yoshua Bengio" || lines[0].Relation != "CitizenOf" || lines[0].Probability < lines[1].Probability {
		t.Errorf("%+v", lines)
	}
	response, text = call(t, "POST", base+"/api/predict", `{"relation": "CitizenOf", "lacking": true, "top": 1}`)
	var asked gaps.Asked
	if err := json.Unmarshal([]byte(response.Header.Get("Lacuna-Summary")), &asked); err != nil || asked.Asked == 0 || len(decodeLines(t, text)) != asked.Asked {
		t.Errorf("%+v were asked, %v: %s", asked, err, text)
	}
	_, text = call(t, "POST", base+"/api/predict", `{"missing": 3}`)
	if lines := decodeLines(t, text); len(lines) != 3 || lines[0].Stated {
		t.Errorf("missing: %s", text)
	}
	_, text = call(t, "POST", base+"/api/predict", `{"score": [{"head": "Alan Kay", "relation": "Win", "tail": "Turing Award"}]}`)
	if lines := decodeLines(t, text); len(lines) != 1 || !lines[0].Stated || lines[0].Probability != 1 {
		t.Errorf("score: %s", text)
	}
}

func TestPredictionsAreRefused(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	for body, status := range map[string]int{
		`{}`:                                   400,
		`{"relation": "Win", "top": -1}`:       400,
		`{"relation": "Nothing"}`:              404,
		`{"missing": 3, "score": [{}]}`:        400,
		`{"missing": 3, "relation": "Nobody"}`: 404,
		`{"score": [{"head": "x"}]}`:           404,
	} {
		if response, text := call(t, "POST", base+"/api/predict", body); response.StatusCode != status {
			t.Errorf("%s: %d %s", body, response.StatusCode, text)
		}
	}
}

func TestAuditOverHTTP(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	_, text := call(t, "POST", base+"/api/audit", `{"relation": "CitizenOf", "facts": 20, "limit": 3}`)
	var response AuditResponse
	if err := json.Unmarshal([]byte(text), &response); err != nil || response.Facts != 20 || len(response.List) != 3 || response.Trial.Planted == 0 {
		t.Errorf("%s: %v", text, err)
	}
}

// slow is a device that takes its time, by the clock of the test.
type slow struct {
	kernel.Device
	each time.Duration
}

func (d slow) HeadForward(prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	time.Sleep(d.each)
	d.Device.HeadForward(prob, in, w)
}

// A stream goes on beyond the time limit of other requests, and of the connection.
func TestStreamsAreNotCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := time.Second
		device, err := cpu.New(cpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := demo(t, Limits{Time: limit}, func(o *Options) {
			o.Engine.Close()
			o.Engine = onDevice(t, slow{device, limit / 2})
		})
		network := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, network, s.Handler(Guard{})) }()
		client := http.Client{Transport: &http.Transport{DialContext: network.dial, DisableKeepAlives: true}}
		began := time.Now()
		response, err := client.Post("http://localhost/api/predict", "application/json", strings.NewReader(`{"relation": "Field", "top": 1, "least": 0.000001}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if lines := decodeLines(t, string(text)); len(lines) < 100 || time.Since(began) < 4*limit {
			t.Errorf("%d lines after %v", len(lines), time.Since(began))
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// pipes is a network in memory.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
	close    func()
}

func newPipes() *pipes {
	p := &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.incoming:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.close(); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.incoming <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
