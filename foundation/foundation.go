// Package foundation holds the model that is used when the user names none: a network
// that computes the vectors of relations from the graph itself (METHOD "Relations and entities in turn")
// and so answers on graphs that it has never seen. Like package turing it stands
// at the very beginning of the flow: it hands out bytes, and whoever asks reads them as
// any other checkpoint. What it was trained on, with which seed and for how long, stands
// in its card (lacuna info -m foundation), and how in README.md. An older model (METHOD "The foundation model") was
// trained on whole questions, for answers by sets.
package foundation

import _ "embed"

// Strings rather than byte slices, so that no reader can change what the next one sees.
var (
	//go:embed model.safetensors
	model string
	//go:embed model-sets.safetensors
	modelOfSets string
)

// Model returns the checkpoint, for answers by links.
func Model() []byte { return []byte(model) }

// ModelOfSets returns one for answers by sets.
func ModelOfSets() []byte { return []byte(modelOfSets) }
