package neural

import (
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// OpenMean opens the mean of several models of one network and graph, parameter by
// parameter; of one, that model. Foundation models may be of any graphs. The card is that of the first.
func OpenMean(names []string, device kernel.Device) (*Model, error) {
	mean, err := OpenModel(names[0], device)
	if err != nil || len(names) == 1 {
		return mean, err
	}
	sum := make([]float64, mean.Network.Parameters.Len)
	for _, name := range names {
		if err := addModel(sum, name, mean.Card, device); err != nil {
			mean.Close()
			return nil, err
		}
	}
	values := make([]float32, len(sum))
	for i, x := range sum {
		values[i] = float32(x / float64(len(names)))
	}
	device.Upload(mean.Network.Parameters.Values, values)
	mean.Card.Averaged, mean.Card.Metrics = len(names), nil // what was measured is not of the mean
	return mean, nil
}

// addModel adds the parameters of a model of the same kind as the first, whose card is given.
func addModel(sum []float64, name string, first checkpoint.Card, device kernel.Device) error {
	m, err := OpenModel(name, device)
	if err != nil {
		return err
	}
	defer m.Close()
	switch {
	case m.Card.Config != first.Config:
		return kg.Errorf(kg.Invalid, name, "its network, threshold, negation or bias is not that of the first model: there is no mean of the two")
	case m.Card.Graph.Vocabulary != first.Graph.Vocabulary && (isOfItsGraph(m.Card) || isOfItsGraph(first)):
		return kg.Errorf(kg.Invalid, name, "it is of another graph, %v, than the first model, %v", m.Card.Graph, first.Graph)
	case m.Card.Calibration != nil:
		return kg.Errorf(kg.Invalid, name, "it is calibrated: expected a model as trained, as the mean of maps is none of them")
	}
	values := make([]float32, len(sum))
	device.Download(values, m.Network.Parameters.Values)
	for i, x := range values {
		sum[i] += float64(x)
	}
	return device.Sync()
}

// isOfItsGraph tells whether parameters or vectors of a model belong to relations or entities of the graph that it was trained on.
func isOfItsGraph(c checkpoint.Card) bool { return !c.Config.AnyGraph() || c.Factors != nil }
