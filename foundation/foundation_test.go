package foundation_test

import (
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/foundation"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// TestModel holds the embedded file to what everything else takes for granted: it is
// small, whole, fits every graph and says where it comes from.
func TestModel(t *testing.T) {
	data := foundation.Model()
	if len(data) > 1<<20 {
		t.Errorf("%d bytes, expected at most 1 MiB", len(data))
	}
	model, card, err := checkpoint.LoadBytes(data, "foundation/model.safetensors", plain.New())
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if card.Config.Kind != gnn.Ultra {
		t.Errorf("a model of kind %q, expected %q", card.Config.Kind, gnn.Ultra)
	}
	if card.Graph.Name == "" || card.Step == 0 || len(card.Training) == 0 {
		t.Errorf("the card lacks data, steps or training configuration: %+v", card)
	}
	var entities, relations kg.Interner
	entities.Intern([]byte("a"))
	relations.Intern([]byte("a relation of no other graph"))
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
	if err := card.CheckRelations(v, "a graph"); err != nil {
		t.Error(err)
	}
}

// TestModelIsACopy makes sure that a reader cannot spoil the next one's.
func TestModelIsACopy(t *testing.T) {
	foundation.Model()[0] ^= 0xff
	if _, _, err := checkpoint.LoadBytes(foundation.Model(), "model", plain.New()); err != nil {
		t.Error(err)
	}
}
