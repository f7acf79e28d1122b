package lab

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/lab/load"
	"github.com/lacuna-kg/lacuna/server"
)

// TestSoak soaks a server of the embedded graph for a moment, as scripts/soak.sh does for an hour.
func TestSoak(t *testing.T) {
	service, err := server.New(t.Context(), server.Options{Engine: laureates.Engine(t, lacuna.Exact)})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	before := service.Info().Graph
	web := httptest.NewServer(service.Handler(server.Guard{}))
	defer web.Close()
	var out, problems bytes.Buffer
	args := []string{"bench", "serve", "--url", web.URL, "--mode", "exact", "--clients", "2", "--warmup", "0s", "--for", "800ms", "--change-every", "10ms", "--parts", "2", "--json"}
	if code := Run(t.Context(), args, nil, &out, &problems); code != 0 {
		t.Fatalf("exit %d: %s", code, &problems)
	}
	var report load.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	changes := report.Changes
	if len(report.Errors) > 0 || report.Requests == 0 || len(report.Parts) != 2 || len(changes.Errors) > 0 || changes.Made == 0 {
		t.Errorf("%s", &out)
	}
	after := service.Info().Graph
	if after.Version <= before.Version || after.Version > before.Version+uint64(changes.Made) || after.Entities != before.Entities || after.Triples > before.Triples+changesKept {
		t.Errorf("%+v after %d changes of %+v", after, changes.Made, before)
	}
}
