package ranks

import (
	"encoding/binary"
	"math"
	"strings"
)

// Word is what a rank tells all others in an exchange: where it stands and whether it goes on.
type Word struct {
	Verdict Verdict
	Number  uint64  // such as a step, which must be the same on all ranks
	Value   float64 // such as a loss
	Text    string  // why it does not go on; cut after maxText bytes
}

// Verdict is whether a rank goes on.
type Verdict uint8

// The verdicts. All but GoOn end the work of all ranks.
const (
	GoOn     Verdict = iota
	Finished         // nothing is left to do
	Stopped          // by the user
	Failed
)

// A word has a fixed size, so that its receiver knows it.
const (
	maxText   = 462
	wordBytes = 1 + 8 + 8 + 2 + maxText
)

func (w Word) encode(to []byte) {
	text := strings.ToValidUTF8(w.Text[:min(len(w.Text), maxText)], "")
	to[0] = byte(w.Verdict)
	binary.LittleEndian.PutUint64(to[1:], w.Number)
	binary.LittleEndian.PutUint64(to[9:], math.Float64bits(w.Value))
	binary.LittleEndian.PutUint16(to[17:], uint16(len(text)))
	copy(to[19:], text)
}

func decodeWord(from []byte) Word {
	text := from[19:][:min(maxText, int(binary.LittleEndian.Uint16(from[17:])))]
	return Word{
		Verdict: Verdict(from[0]),
		Number:  binary.LittleEndian.Uint64(from[1:]),
		Value:   math.Float64frombits(binary.LittleEndian.Uint64(from[9:])),
		Text:    string(text),
	}
}
