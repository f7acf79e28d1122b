package synth

import (
	"context"
	"io"
	"strconv"
)

// tsvChunk is written at a time, with a look at the context before.
const tsvChunk = 1 << 20

// WriteTSV writes the triples as lines of head, relation and tail, parted by
// tabs, without ever holding the graph.
func (c Config) WriteTSV(ctx context.Context, w io.Writer) error {
	if err := c.Check(); err != nil {
		return err
	}
	const longestLine = 3*len("Q2147483647") + len("\t\t\n")
	lines := make([]byte, 0, tsvChunk+longestLine)
	for t := range c.Draw() {
		lines = append(appendName(lines, 'Q', uint32(t.Head)), '\t')
		lines = append(appendName(lines, 'P', t.Relation.Base()), '\t')
		lines = append(appendName(lines, 'Q', uint32(t.Tail)), '\n')
		if len(lines) < tsvChunk {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.Write(lines); err != nil {
			return err
		}
		lines = lines[:0]
	}
	_, err := w.Write(lines)
	return err
}

func appendName(to []byte, prefix byte, id uint32) []byte {
	return strconv.AppendUint(append(to, prefix), uint64(id), 10)
}
