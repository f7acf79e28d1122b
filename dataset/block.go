package dataset

import (
	"encoding/binary"
	"fmt"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// A block holds queries of one query.Template as columns, each a run of varints, which
// compresses better than query after query: every number of the template, the
// counts of easy and of hard answers, then the answers themselves, each list as
// its first entity and the gaps to the next ones, less one. Parts that are absent
// have no columns.
const (
	// blockTarget is the size at which a block is closed: large enough for the
	// compressor, small enough that reading one shape of a file costs little memory.
	blockTarget = 1 << 20
	// maxBlock bounds what a reader unpacks at once. One list of answers takes
	// about a byte an entity, so this suffices for graphs of 30 million entities.
	maxBlock = 64 << 20
	// maxBlockQueries bounds the queries of a block, as some take no byte at all.
	maxBlockQueries = 1 << 16
)

// The largest templates of files are far beyond what anyone asks; a crafted file shall not exhaust the stack.
const (
	maxTemplateNodes = 10_000
	maxTemplateDepth = 1_000
)

var errTemplateSize = fmt.Errorf("the query has over %d operations or is nested over %d deep", maxTemplateNodes, maxTemplateDepth)

func fitsFiles(t *query.Template) bool {
	nodes, depth := t.Size()
	return nodes <= maxTemplateNodes && depth <= maxTemplateDepth+1 // an entity is nested in nothing
}

// parseTemplate reads the template of a block.
func parseTemplate(code string) (*query.Template, error) {
	t, err := query.ParseTemplate(code)
	if err == nil && !fitsFiles(t) {
		err = errTemplateSize
	}
	return t, err
}

// blockBuilder collects the queries of one block. Index 0 is easy, 1 is hard.
type blockBuilder struct {
	columns [][]byte // one for each number of the template
	counts  [2][]byte
	answers [2][]byte
	queries int
	size    int
}

func (b *blockBuilder) add(numbers []uint32, q Query) {
	if b.columns == nil {
		b.columns = make([][]byte, len(numbers))
	}
	for i, number := range numbers {
		b.append(&b.columns[i], uint64(number))
	}
	for part, list := range [2][]kg.Entity{q.Easy, q.Hard} {
		if q.Absent&(1<<part) != 0 {
			continue
		}
		b.append(&b.counts[part], uint64(len(list)))
		next := kg.Entity(0)
		for _, answer := range list {
			b.append(&b.answers[part], uint64(answer-next))
			next = answer + 1
		}
	}
	b.queries++
}

func (b *blockBuilder) append(column *[]byte, number uint64) {
	before := len(*column)
	*column = binary.AppendUvarint(*column, number)
	b.size += len(*column) - before
}

// bytes joins the columns in their order and empties the builder.
func (b *blockBuilder) bytes() []byte {
	joined := make([]byte, 0, b.size)
	for _, column := range b.columns {
		joined = append(joined, column...)
	}
	for part := range b.counts {
		joined = append(joined, b.counts[part]...)
	}
	for part := range b.answers {
		joined = append(joined, b.answers[part]...)
	}
	*b = blockBuilder{}
	return joined
}

// full tells whether the block has to be closed before another query is added.
func (b *blockBuilder) full() bool { return b.size >= blockTarget || b.queries >= maxBlockQueries }
