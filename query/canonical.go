package query

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Canonical gives one expression for all that differ only by laws which hold in
// every fuzzy logic and leave the shape alone: the order and the nesting of the
// operands of C and of D, and double negation. It is what duplicates are found by.
func Canonical(e Expr) Expr {
	canonical, _ := canonicalize(e)
	return canonical
}

// Key is a compact string, the same for two expressions exactly if Canonical is.
func Key(e Expr) string {
	_, key := canonicalize(e)
	return string(key)
}

// The first byte of a node's key. Their order is the order of operands: what is
// simple first, complements last, as people write them.
const (
	keyAnchor byte = iota + 1
	keyProjection
	keyIntersection
	keyUnion
	keyUniverse
	keyComplement
)

// canonicalize gives the canonical form of e with its key: a prefix code, so that keys never run into each other.
func canonicalize(e Expr) (Expr, []byte) {
	switch e := e.(type) {
	case Anchor:
		return e, binary.BigEndian.AppendUint32([]byte{keyAnchor}, uint32(e.Entity))
	case Projection:
		of, key := canonicalize(e.Of)
		head := binary.BigEndian.AppendUint32([]byte{keyProjection}, uint32(e.Relation))
		return Projection{e.Relation, of, e.Variable}, append(head, key...)
	case Complement:
		return canonicalComplement(e)
	case Intersection:
		of, key := canonicalOperands(keyIntersection, e)
		return Intersection{of}, key
	case Union:
		of, key := canonicalOperands(keyUnion, e)
		return Union{of}, key
	}
	return Universe{}, []byte{keyUniverse}
}

func canonicalComplement(e Complement) (Expr, []byte) {
	of, key := canonicalize(e.Of)
	if inner, double := of.(Complement); double {
		return inner.Of, key[1:]
	}
	return Complement{of}, append([]byte{keyComplement}, key...)
}

type keyed struct {
	expr Expr
	key  []byte
}

func canonicalOperands(tag byte, e Expr) ([]Expr, []byte) {
	operands := appendFlat(nil, tag, e)
	slices.SortStableFunc(operands, func(a, b keyed) int { return bytes.Compare(a.key, b.key) })
	of := make([]Expr, len(operands))
	key := binary.BigEndian.AppendUint32([]byte{tag}, uint32(len(operands)))
	for i, operand := range operands {
		of[i] = operand.expr
		key = append(key, operand.key...)
	}
	return of, key
}

// appendFlat adds the canonical operands of e, those of operands of the same kind
// in their place. That an operand is one may only show after its double negation is gone.
func appendFlat(to []keyed, tag byte, e Expr) []keyed {
	for _, operand := range Operands(e) {
		canonical, key := canonicalize(operand)
		if key[0] != tag {
			to = append(to, keyed{canonical, key})
			continue
		}
		to = appendFlat(to, tag, canonical)
	}
	return to
}
