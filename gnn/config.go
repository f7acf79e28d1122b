package gnn

import (
	"fmt"
)

// The kinds of projection.
const (
	NBFNet      = "nbfnet"
	CompGCN     = "compgcn"
	RGCN        = "rgcn"
	Ultra       = "ultra"
	Alternating = "alternating"
)

// The ways in which messages run along an edge (METHOD "Direction").
const (
	HeadToTail = "head_to_tail"
	TailToHead = "tail_to_head"
)

// Config says which network it is; the names of its fields in JSON are those of the
// public configurations and of the metadata of a checkpoint.
type Config struct {
	Kind         string `json:"gnn"`               // nbfnet, compgcn, rgcn, ultra, alternating
	Message      string `json:"message,omitempty"` // nbfnet, ultra, alternating: distmult, transe, rotate; compgcn: mult, sub, corr
	Aggregate    string `json:"aggregate,omitempty"`
	Width        int    `json:"dim"`
	Layers       int    `json:"layers"`
	Dependent    bool   `json:"dependent"`       // nbfnet: relation vectors depend on the query's relation
	ConcatHidden bool   `json:"concat_hidden"`   // the head reads the state after every layer
	Bases        int    `json:"bases,omitempty"` // rgcn

	// RelationRounds, of alternating, is how many times relations are updated before the first layer, all entities being alike; 0 stands for 1.
	RelationRounds int `json:"relation_rounds,omitempty"`

	// Direction is how ultra's messages run, in both of its graphs; all others' run from head to tail.
	Direction string `json:"direction,omitempty"`
}

// Default is the network of the paper for FB15k-237.
func Default() Config {
	return Config{Kind: NBFNet, Message: "distmult", Aggregate: "pna", Width: 32, Layers: 4, Dependent: true}
}

// Check says in one line what is wrong with a configuration.
func (c Config) Check() error {
	if c.Layers < 1 {
		return fmt.Errorf("config: %d layers, expected at least 1", c.Layers)
	}
	n, err := c.network()
	if err != nil {
		return err
	}
	layer, err := n.layer(c)
	if err != nil {
		return err
	}
	if err := layer.Check(); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if c.RelationRounds < 0 || c.RelationRounds > 0 && c.Kind != Alternating {
		return fmt.Errorf("config: %d relation_rounds, expected 0 or more, and only of %s", c.RelationRounds, Alternating)
	}
	return c.checkDirection()
}

func (c Config) checkDirection() error {
	switch {
	case c.Kind == Ultra && c.Direction != HeadToTail && c.Direction != TailToHead:
		return fmt.Errorf("config: unknown direction %q, expected %s or %s", c.Direction, HeadToTail, TailToHead)
	case c.Kind != Ultra && c.Direction != "":
		return fmt.Errorf("config: direction %q, but only %s has one", c.Direction, Ultra)
	}
	return nil
}

// states is the number of hidden states the head reads.
func (c Config) states() int {
	if c.ConcatHidden {
		return c.Layers
	}
	return 1
}

// updates is how many times alternating updates its relations.
func (c Config) updates() int { return c.firstUpdates() + c.Layers - 1 }

// firstUpdates is how many of these come before the first layer.
func (c Config) firstUpdates() int { return max(1, c.RelationRounds) }

// lastUpdate is the number of the update that layer i follows.
func (c Config) lastUpdate(i int) int { return c.firstUpdates() - 1 + i }
