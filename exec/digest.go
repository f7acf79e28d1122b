package exec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/lacuna-kg/lacuna/plan"
)

// Digest names a set by the way it is computed: instructions with one digest give
// the same set to the bit, whatever program they stand in. The operands of ∧ and ∨
// count in either order, as every logic is commutative in floating point too; their
// nesting counts, as rounding is not associative.
type Digest [sha256.Size]byte

// digestsOf names the set after every instruction of a program.
func digestsOf(p *plan.Program) []Digest {
	digests := make([]Digest, len(p.Code))
	for i, in := range p.Code {
		if in.Op == plan.Load {
			digests[i] = digests[in.From]
			continue
		}
		digests[i] = digest(in, operands(digests, p.Inputs[i]))
	}
	return digests
}

func digest(in plan.Instruction, operands [][]byte) Digest {
	text := []byte{byte(in.Op)}
	switch in.Op {
	case plan.Entity:
		text = binary.LittleEndian.AppendUint32(text, uint32(in.Entity))
	case plan.Project:
		text = binary.LittleEndian.AppendUint32(text, uint32(in.Relation))
	}
	for _, operand := range operands {
		text = append(text, operand...)
	}
	return sha256.Sum256(text)
}

// operands are the digests of an instruction's inputs, sorted.
func operands(digests []Digest, inputs []int) [][]byte {
	var list [][]byte
	for _, input := range inputs {
		list = append(list, digests[input][:])
	}
	if len(list) == 2 && bytes.Compare(list[0], list[1]) > 0 {
		list[0], list[1] = list[1], list[0]
	}
	return list
}
