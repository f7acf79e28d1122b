package server

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kg"
)

// faulty is a device that panics while it is told to, in the operation that it is told.
type faulty struct {
	kernel.Device
	operation atomic.Pointer[string]
}

func (f *faulty) breakIn(operation string) { f.operation.Store(&operation) }

func (f *faulty) at(operation string) {
	if of := f.operation.Load(); of != nil && *of == operation {
		panic("injected in " + operation)
	}
}

func (f *faulty) LayerForward(l kernel.Layer, g kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	f.at("layer")
	f.Device.LayerForward(l, g, out, kept, in, w)
}

func (f *faulty) HeadForward(prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	f.at("head")
	f.Device.HeadForward(prob, in, w)
}

func (f *faulty) Observe(sets kernel.Buffer, listed kernel.Lists) []kernel.Evidence {
	f.at("evidence")
	return f.Device.Observe(sets, listed)
}

// panicking are requests that ask the model, each of something that no other does, as what was computed is kept.
var panicking = []struct{ path, body, operation string }{
	{"/api/ask", `{"question": "?x : Field(x, Cryptography)", "by": "links"}`, "layer"},
	{"/api/ask", `{"question": "?x : Field(x, Operating Systems)", "by": "links"}`, "evidence"},
	{"/api/ask", `{"question": "?x : CitizenOf(x, Norway)", "by": "sets"}`, "head"},
	{"/api/ask", `{"question": "?x, y : University(x, y) & Field(x, Cryptography) & Win(x, Turing Award)"}`, "layer"},
	{"/api/explain", `{"question": "?x : CitizenOf(x, Israel)"}`, "layer"},
	{"/api/predict", `{"relation": "CityIn", "top": 2}`, "head"},
	{"/api/audit", `{"facts": 4}`, "layer"},
	{"/api/entity?name=Alan%20Kay&likely=3", "", "evidence"},
}

// TestPanicsOfTheModelEndNothing breaks the device under each kind of request: that request is refused and counted, and the
// next one, which needs the same locks and places, is answered.
func TestPanicsOfTheModelEndNothing(t *testing.T) {
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	broken := &faulty{Device: device}
	s := demo(t, Limits{Cache: -1}, func(o *Options) {
		o.Engine.Close()
		o.Engine = onDevice(t, broken)
	})
	url := serve(t, s).URL
	for i, c := range panicking {
		broken.breakIn(c.operation)
		if status, text := answered(t, url+c.path, c.body); status != http.StatusInternalServerError {
			t.Errorf("%s %s: %d %.200s, want a refusal", c.path, c.body, status, text)
		}
		if counted := value(t, s.metrics.panics); counted < float64(i+1) {
			t.Errorf("%s %s: %v panics were counted", c.path, c.body, counted)
		}
		broken.breakIn("")
		if status, text := answered(t, url+c.path, c.body); status != http.StatusOK {
			t.Errorf("%s %s afterwards: %d %.200s", c.path, c.body, status, text)
		}
	}
}

// onDevice is an engine on the embedded graph whose model runs on a device.
func onDevice(t *testing.T, device kernel.Device) *lacuna.Engine {
	t.Helper()
	splits, err := lacuna.Read(t.Context(), "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), splits.Train, lacuna.Model(lacuna.Turing), lacuna.OnDevice(device), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// answered sends a request, of GET where it has no body, and gives the answer.
func answered(t *testing.T, url, body string) (status int, text string) {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

// TestPanicOfTheIndexOfNamesEndsNothing breaks the index that is made beside the requests: names are found to the letter, and
// the graph after a change is indexed.
func TestPanicOfTheIndexOfNamesEndsNothing(t *testing.T) {
	times := 0
	begun := make(chan struct{})
	how := indexing{atOnce: 1, begins: func() {
		if times++; times == 1 {
			defer close(begun)
			panic("a broken index")
		}
	}}
	s := small(t, Limits{}, func(o *Options) { o.indexing = how })
	<-begun
	if found, err := s.Complete(KindEntity, "Rome", 3); err != nil || len(found.Matches) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
	eventually(t, func() bool { return value(t, s.metrics.panics) == 1 })
	if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{fact("Bergen", "in", "Norway")}}); err != nil {
		t.Fatal(err)
	}
	at, done := s.snapshots.use()
	defer done()
	awaitNames(t, at)
}
