// Package foundation holds the model that is used when the user names none: a network
// that computes the vectors of relations from the graph itself (METHOD "The foundation
// model") and so answers on graphs that it has never seen. Like package turing it stands
// at the very beginning of the flow: it hands out bytes, and whoever asks reads them as
// any other checkpoint. What it was trained on, with which seed and for how long, stands
// in its card (lacuna info -m foundation).
package foundation

import _ "embed"

// A string rather than a byte slice, so that no reader can change what the next one sees.
//
//go:embed model.safetensors
var model string

// Model returns the checkpoint.
func Model() []byte { return []byte(model) }
