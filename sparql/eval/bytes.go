package eval

import "github.com/lacuna-kg/lacuna/sparql/term"

// What the things take that an evaluation keeps, in bytes, as far as it can be told beforehand: a list has room for more than it
// holds, a map is two thirds full.
const (
	bytesOfNode     = 8
	bytesOfEntry    = 40  // of a map from nodes, beside the nodes
	bytesOfHashed   = 160 // of a row among those of a join
	bytesOfGroup    = 160
	bytesOfFold     = 200 // of an aggregate of a group
	bytesOfComputed = 224 // of a term that the dictionary has got, beside its text
	bytesOfKey      = 288 // of a term to sort by, beside its text
	bytesOfSorted   = 96  // of a row to sort
	bytesOfValue    = 256 // of a row by value, beside its nodes and the text of the value
	bytesOfTriple   = 72
	bytesOfVisit    = 24 // of a node that a path has reached
)

// bytesOfRow are those of a list of nodes.
func bytesOfRow(nodes int) int { return 24 + bytesOfNode*nodes }

// bytesOfText are those of a term beside what every term takes.
func bytesOfText(t term.Term) int { return len(t.Value) + len(t.Datatype) + len(t.Language) }
