package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Adjustments are what is put on a network after its training, or around it: how sets are
// read when they enter a projection, and what stands for ¬. The network itself and its
// parameters know nothing of them. The zero value changes nothing.
type Adjustments struct {
	// Threshold is for models that know only single links: probabilities that do not
	// exceed it count as 0 when a set enters a projection.
	Threshold float32 `json:"threshold,omitempty"`
	// InputOdds is for models with a bias added to their answers after training: odds are multiplied by it
	// when a set enters a projection, after the threshold, so that the network reads sets as it learnt to. 0 is 1.
	InputOdds float32 `json:"input_odds,omitempty"`
	// Negation is λ of plain.Complement that suits the model's probabilities, for the logic
	// that its projections run in. 0 is 1-x, as in the paper.
	Negation float32 `json:"negation,omitempty"`
}

// maxOdds is the most that odds are multiplied by: enough for any use, and all stays finite.
const maxOdds = 1000

// Check says in one line what is wrong with adjustments.
func (a Adjustments) Check() error {
	switch {
	case !(a.Threshold >= 0 && a.Threshold < 1):
		return fmt.Errorf("config: threshold %v, expected 0 or more and less than 1", a.Threshold)
	case !(a.InputOdds >= 0 && a.InputOdds <= maxOdds):
		return fmt.Errorf("config: input_odds %v, expected 0 to %v", a.InputOdds, maxOdds)
	case !(a.Negation > -1 && a.Negation < maxOdds):
		return fmt.Errorf("config: negation %v, expected more than -1 and less than %v", a.Negation, maxOdds)
	}
	return nil
}

// readsAsIs tells whether sets enter a projection as they are.
func (a Adjustments) readsAsIs() bool { return a.Threshold == 0 && a.InputOdds == 0 }

// read makes sets what the network takes, in place.
func (a Adjustments) read(device kernel.Device, sets kernel.Buffer) {
	if a.Threshold > 0 {
		device.Threshold(sets, a.Threshold)
	}
	if a.InputOdds > 0 {
		device.Odds(sets, a.InputOdds)
	}
}

// Spec is all of a model but its parameters. Its JSON form is one object, that of the public
// configurations and of the metadata of a checkpoint.
type Spec struct {
	Config
	Adjustments
}

// Check says in one line what is wrong with either part.
func (s Spec) Check() error {
	if err := s.Config.Check(); err != nil {
		return err
	}
	return s.Adjustments.Check()
}

// New is New of the network, with the adjustments put on it.
func (s Spec) New(device kernel.Device, relations int, seed uint64) (*Model, error) {
	if err := s.Adjustments.Check(); err != nil {
		return nil, err
	}
	m, err := New(device, s.Config, relations, seed)
	if err != nil {
		return nil, err
	}
	m.Adjustments = s.Adjustments
	return m, nil
}
