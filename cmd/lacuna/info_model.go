package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/internal/lines"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/neural"
)

// calibrated is what the card of a model says that lacuna-lab calibrate made.
type calibrated struct {
	Graph       string
	Scale, Bias float64
}

// showModel prints what a model says about itself.
func (a *app) showModel(name string) error {
	model, err := neural.OpenModel(name, plain.New())
	if err != nil {
		return err
	}
	defer model.Close()
	card := model.Card
	if a.JSON {
		return a.PrintJSON(card)
	}
	s := a.Screen
	row := func(name, format string, args ...any) {
		s.Printf("%s  %s\n", s.Bold(command.Pad(name, 11)), fmt.Sprintf(format, args...))
	}
	c := card.Config
	row("network", "%s %s %s, width %d, %s", c.Kind, c.Message, c.Aggregate, c.Width, count.Of(c.Layers, "layer"))
	if c.InputOdds != 0 {
		row("bias", "%.4g on the answers, not on what enters a projection", -math.Log(float64(c.InputOdds)))
	}
	if c.Negation != 0 {
		row("negation", "(1-x)/(1+λx), λ = %v", c.Negation)
	}
	if f := card.Factors; f != nil {
		row("vectors", "of rank %d, weighed %.2f to the network's 1 where nothing is stated, up to %.2f", f.Vectors.Width()/2, f.Blend.Of(0), f.Blend.Of(math.MaxInt))
	}
	row("stored", "%s", command.PrecisionText(card.Stored, card.Factors != nil))
	if names := strings.Split(card.Graph.Name, ", "); len(names) > 1 {
		row("graphs", "%d (%s, %s):%s", len(names), count.Of(card.Graph.Entities, "entity"), count.Of(card.Graph.Facts, "fact"), indented(lines.Fill(names, 65, "")))
	} else {
		row("graph", "%v", card.Graph)
	}
	row("trained", "%s on %s, seed %d, version %s", count.Of(card.Step, "step"), card.Device, card.Seed, card.Version)
	if card.From != "" {
		row("began as", "%s", card.From)
	}
	if card.Averaged > 0 {
		row("mean of", "%s, of which this is the first", count.Of(card.Averaged, "model"))
	}
	var by calibrated
	if card.Calibration != nil && json.Unmarshal(card.Calibration, &by) == nil {
		row("calibrated", "on %s: logit → %.3f·logit %+.3f", by.Graph, by.Scale, by.Bias)
	}
	for _, name := range slices.Sorted(maps.Keys(card.Metrics)) {
		if strings.Contains(name, "/") && !strings.HasSuffix(name, "/mrr") {
			continue // shapes of one graph of several: --json has them
		}
		row(name, "%.4f", card.Metrics[name])
	}
	return nil
}

// indented sets lines below the second column of a row.
func indented(lines string) string {
	return strings.ReplaceAll("\n"+lines, "\n", "\n"+strings.Repeat(" ", 13))
}
