package train

import (
	"encoding/json"

	"github.com/lacuna-kg/lacuna/kg"
)

// HidePairs says on which graphs all that joins two entities is hidden with an edge between them: in JSON false, true or "auto".
type HidePairs string

const (
	PairsStay   HidePairs = ""     // on none
	PairsHidden HidePairs = "true" // on all
	// PairsAsMissed hides them where a graph's held-out facts say so (Graph.MissedApart).
	PairsAsMissed HidePairs = "auto"
)

func (p HidePairs) MarshalJSON() ([]byte, error) {
	if p == PairsAsMissed {
		return json.Marshal(string(p))
	}
	return json.Marshal(p == PairsHidden)
}

func (p *HidePairs) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "false":
		*p = PairsStay
	case "true":
		*p = PairsHidden
	case `"auto"`:
		*p = PairsAsMissed
	default:
		return kg.Errorf(kg.Invalid, "", "hide_pairs is %s, expected true, false or auto", data)
	}
	return nil
}

// on is the configuration for one of the graphs: what is left to it is decided.
func (c Config) on(g Graph) Config {
	if g.Unstated {
		c.Dropout, c.HideOne = 0, false
	}
	switch {
	case c.HidePairs == PairsAsMissed && g.MissedApart:
		c.HidePairs = PairsHidden
	case c.HidePairs == PairsAsMissed:
		c.HidePairs = PairsStay
	}
	return c
}
