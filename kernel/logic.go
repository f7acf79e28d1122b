package kernel

// Logic is a family of fuzzy operations, METHOD "Logic".
type Logic uint8

const (
	Product Logic = iota
	Godel
	Lukasiewicz
)

func (l Logic) String() string { return [...]string{"product", "godel", "lukasiewicz"}[l] }

// LogicOp is an operation on sets.
type LogicOp uint8

const (
	Not LogicOp = iota
	And
	Or
)

// LogicStep computes slot Out of a pool from slots X and, but for Not, Y.
type LogicStep struct {
	Op        LogicOp
	Out, X, Y int32
	Lambda    float32 // of Not: which complement
}
