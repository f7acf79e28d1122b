package foundation_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/foundation"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
)

// Both embedded files are what everything else takes for granted: small, whole, fit for every graph, and they say where they come from.
func TestModels(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{"foundation": {foundation.Model(), gnn.Alternating}, "foundation-sets": {foundation.ModelOfSets(), gnn.Ultra}} {
		if len(c.data) > 1<<20 {
			t.Errorf("%s: %d bytes, expected at most 1 MiB", name, len(c.data))
		}
		card := cardOf(t, name, c.data)
		if card.Config.Kind != c.kind {
			t.Errorf("%s is of kind %q, expected %q", name, card.Config.Kind, c.kind)
		}
		if card.Graph.Name == "" || card.Step == 0 || len(card.Training) == 0 {
			t.Errorf("%s: the card lacks data, steps or training configuration: %+v", name, card)
		}
		if err := card.CheckRelations(strangeVocabulary(), "a graph"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func cardOf(t *testing.T, name string, data []byte) checkpoint.Card {
	t.Helper()
	model, card, err := checkpoint.LoadBytes(data, name, plain.New())
	if err != nil {
		t.Fatal(err)
	}
	model.Close()
	return card
}

// strangeVocabulary is that of no graph trained on.
func strangeVocabulary() *kg.Vocabulary {
	var entities, relations kg.Interner
	entities.Intern([]byte("a"))
	relations.Intern([]byte("a relation of no other graph"))
	return &kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
}

// The card says what train.sh trains last: the configuration of the repository, on the graphs of gather-graphs.sh.
func TestTheModelIsThatOfItsScript(t *testing.T) {
	const last = "foundation-sparse-all"
	card := cardOf(t, "foundation", foundation.Model())
	var trained train.Config
	if err := json.Unmarshal(card.Training, &trained); err != nil {
		t.Fatal(err)
	}
	text, err := configs.Read(last)
	if err != nil {
		t.Fatal(err)
	}
	stated, err := train.ParseConfig(text, last)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(trained, stated) {
		t.Errorf("the model was trained by\n%+v, and the repository has\n%+v", trained, stated)
	}
	if script := readFile(t, "train.sh"); !strings.Contains(script[strings.LastIndex(script, "\nstage "):], "--config "+last+" ") || strings.Contains(script, "--set") {
		t.Errorf("train.sh does not train last by %s as it stands", last)
	}
	gather := readFile(t, "../scripts/gather-graphs.sh")
	for graph := range strings.SplitSeq(card.Graph.Name, ", ") {
		if !strings.Contains(gather, graph) {
			t.Errorf("gather-graphs.sh does not gather %s", graph)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestModelIsACopy makes sure that a reader cannot spoil the next one's.
func TestModelIsACopy(t *testing.T) {
	foundation.Model()[0] ^= 0xff
	if _, _, err := checkpoint.LoadBytes(foundation.Model(), "model", plain.New()); err != nil {
		t.Error(err)
	}
}
