package kernel

// Logic is a family of fuzzy operations, METHOD "Logic".
type Logic uint8

const (
	Product Logic = iota
	Godel
	Lukasiewicz
)

// Logics names them all, in the order of help and documents. Flags, the Go API, the server's requests and the tests of
// every device are made from it; package plain says what each means.
var Logics = [...]string{Product: "product", Godel: "godel", Lukasiewicz: "lukasiewicz"}

func (l Logic) String() string { return Logics[l] }

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
