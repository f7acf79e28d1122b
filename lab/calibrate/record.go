package calibrate

import (
	"encoding/json"

	"github.com/lacuna-kg/lacuna/checkpoint"
)

// Record is what the card of a calibrated model says of it.
type Record struct {
	Model      string  `json:"model"` // that was calibrated
	Graph      string  `json:"graph"` // on which
	Share      float64 `json:"share"`
	Candidates int     `json:"candidates"`
	Seed       uint64  `json:"seed"`
	Fit
}

// Sign writes into the card of a model, by its name, that it was calibrated on a graph.
func (r *Report) Sign(card *checkpoint.Card, model, graph string) (err error) {
	card.Calibration, err = json.Marshal(Record{model, graph, r.Share, r.Candidates, r.Seed, r.Fit})
	return err
}
