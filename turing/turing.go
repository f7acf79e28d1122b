// Package turing holds the knowledge graph that is used when the user names none:
// the laureates of the Turing Award with their fields, universities, advisors,
// birthplaces, awards and works. It stands at the very beginning of the flow: it
// hands out text, and whoever asks reads that text as any other file of triples.
//
// A second file holds facts that are just as true but were left out on purpose, so
// that one can see whether a model finds links that the graph does not contain. Two
// models, trained on the first file alone by train.sh, are here too: one of single links, and one of
// whole questions as the paper trains it.
package turing

//go:generate ./train.sh

import (
	_ "embed"
	"io"
	"strings"
)

// Question is the demonstration's: at which universities do the Turing Award winners work whom John McCarthy taught? Hidden is
// the fact among those left out that one of its answers, HiddenAnswer, rests on.
const (
	Question     = "?u : ∃a : Win(a, Turing Award) ∧ Advisor(a, John McCarthy) ∧ University(a, u)"
	Hidden       = "University(Barbara Liskov, MIT)"
	HiddenAnswer = "MIT"
)

// PaperQuestion is the paper's: which universities do the Turing Award winners of deep learning work in?
const PaperQuestion = "?u : ∃a : Win(a, Turing Award) ∧ Field(a, Deep Learning) ∧ University(a, u)"

// Strings rather than byte slices, so that no reader can change what the next one sees.
var (
	//go:embed facts.tsv
	facts string
	//go:embed left_out.tsv
	leftOut string
	//go:embed model.safetensors
	model string
	//go:embed model-sets.safetensors
	modelOfSets string
)

// Facts returns the graph, one fact a line: head, relation and tail separated by
// tabs, without a header. Every call starts at the beginning.
func Facts() io.Reader { return strings.NewReader(facts) }

// LeftOut returns the withheld facts in the format of [Facts]. Each of their
// entities and relations also occurs in the graph, none of the facts does.
func LeftOut() io.Reader { return strings.NewReader(leftOut) }

// Model returns a checkpoint of a model of the graph, for answers by links.
func Model() []byte { return []byte(model) }

// ModelOfSets returns one for answers by sets.
func ModelOfSets() []byte { return []byte(modelOfSets) }
