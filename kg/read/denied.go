package read

import (
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// A relation that is written !treats denies a fact (kg.Denial). While files are read, denials stand among the facts, with a bit in
// their relation, so that every format has them; there are never so many relations that the bit is one of a number.

const deniedBit kg.Relation = 1 << 31

func isDenied(t kg.Triple) bool { return t.Relation&deniedBit != 0 }

// relation is the number of a relation by its name.
func (l *loader) relation(name []byte) kg.Relation {
	if len(name) > 0 && name[0] == kg.DenialMark {
		if denied, is := kg.Denial(string(name)); is {
			l.denies = true
			return kg.Forward(l.relations.Intern([]byte(denied))) | deniedBit
		}
	}
	return kg.Forward(l.relations.Intern(name))
}

// denied takes the denials out of the facts, and with them what is stated and denied: it is false.
func (l *loader) denied() (denied []kg.Triple) {
	for part := range l.facts {
		for _, t := range l.facts[part] {
			if isDenied(t) {
				t.Relation &^= deniedBit
				denied = append(denied, t)
			}
		}
	}
	if len(denied) == 0 {
		return nil
	}
	isFalse := make(map[kg.Triple]bool, len(denied))
	for _, t := range denied {
		isFalse[t] = true
	}
	contradicted := map[kg.Triple]bool{}
	l.dropFacts(func(t kg.Triple) bool {
		if isFalse[t] {
			contradicted[t] = true
		}
		return isDenied(t) || isFalse[t]
	})
	for _, part := range []split{validSplit, testSplit} {
		kept := l.facts[part][:0]
		for _, t := range l.facts[part] {
			if !isDenied(t) {
				kept = append(kept, t)
			}
		}
		l.facts[part] = kept
	}
	l.note("%s known to be false: never predicted", count.Of(len(isFalse), "fact"))
	if n := len(contradicted); n > 0 {
		l.note("%s both stated and said to be false: they count as false", count.Of(n, "fact"))
	}
	return denied
}
