package syntax

// Expr is an expression: Ref, Compare, Arithmetic, Signed, In, And, Or, Not, Exists,
// Call, FunctionCall or Aggregate.
type Expr interface{ isExpr() }

// Compare is Left Sign Right, the sign being one of = != < > <= >=.
type Compare struct {
	Left, Right Expr
	Sign        string
	Pos         Pos
}

// Arithmetic is Left Sign Right, the sign being one of + - * /.
type Arithmetic struct {
	Left, Right Expr
	Sign        string
	Pos         Pos
}

// Signed is -Of or +Of.
type Signed struct {
	Of   Expr
	Sign string
	Pos  Pos
}

// In is Left IN (List) or, if Not, Left NOT IN (List).
type In struct {
	Left Expr
	List []Expr
	Not  bool
	Pos  Pos
}

// And is true if all of its parts are.
type And struct{ Of []Expr }

// Or is true if any of its parts is.
type Or struct{ Of []Expr }

// Not is true if its part is false.
type Not struct{ Of Expr }

// Exists tells whether a group matches under the solution at hand or, if Not, does not.
type Exists struct {
	Of  *Group
	Not bool
	Pos Pos
}

// Call is a built-in function by its name in capitals; URI and ISURI are IRI and ISIRI.
type Call struct {
	Name string
	Args []Expr
	Pos  Pos
}

// FunctionCall is a function that an IRI names, a cast or one that nobody here knows.
type FunctionCall struct {
	IRI      string
	Distinct bool
	Args     []Expr
	Pos      Pos
}

// Aggregate is COUNT, SUM, MIN, MAX, AVG, SAMPLE or GROUP_CONCAT of the solutions of a group.
type Aggregate struct {
	Name      string
	Distinct  bool
	Of        Expr   // nil for COUNT(*)
	Separator string // of GROUP_CONCAT
	Pos       Pos
}

func (Ref) isExpr()          {}
func (Compare) isExpr()      {}
func (Arithmetic) isExpr()   {}
func (Signed) isExpr()       {}
func (In) isExpr()           {}
func (And) isExpr()          {}
func (Or) isExpr()           {}
func (Not) isExpr()          {}
func (Exists) isExpr()       {}
func (Call) isExpr()         {}
func (FunctionCall) isExpr() {}
func (Aggregate) isExpr()    {}

// builtins are the built-in functions with the least and the most of their arguments, -1 for any number.
var builtins = map[string][2]int{
	"STR": {1, 1}, "LANG": {1, 1}, "LANGMATCHES": {2, 2}, "DATATYPE": {1, 1}, "BOUND": {1, 1}, "IRI": {1, 1}, "BNODE": {0, 1},
	"RAND": {0, 0}, "ABS": {1, 1}, "CEIL": {1, 1}, "FLOOR": {1, 1}, "ROUND": {1, 1},
	"CONCAT": {0, -1}, "STRLEN": {1, 1}, "UCASE": {1, 1}, "LCASE": {1, 1}, "ENCODE_FOR_URI": {1, 1}, "CONTAINS": {2, 2},
	"STRSTARTS": {2, 2}, "STRENDS": {2, 2}, "STRBEFORE": {2, 2}, "STRAFTER": {2, 2}, "SUBSTR": {2, 3}, "REPLACE": {3, 4}, "REGEX": {2, 3},
	"YEAR": {1, 1}, "MONTH": {1, 1}, "DAY": {1, 1}, "HOURS": {1, 1}, "MINUTES": {1, 1}, "SECONDS": {1, 1}, "TIMEZONE": {1, 1}, "TZ": {1, 1}, "NOW": {0, 0},
	"UUID": {0, 0}, "STRUUID": {0, 0}, "MD5": {1, 1}, "SHA1": {1, 1}, "SHA256": {1, 1}, "SHA384": {1, 1}, "SHA512": {1, 1},
	"COALESCE": {0, -1}, "IF": {3, 3}, "STRLANG": {2, 2}, "STRDT": {2, 2}, "SAMETERM": {2, 2},
	"TRIPLE": {3, 3}, "SUBJECT": {1, 1}, "PREDICATE": {1, 1}, "OBJECT": {1, 1}, "ISTRIPLE": {1, 1},
	"LANGDIR": {1, 1}, "STRLANGDIR": {3, 3}, "HASLANG": {1, 1}, "HASLANGDIR": {1, 1},
	"ISIRI": {1, 1}, "ISBLANK": {1, 1}, "ISLITERAL": {1, 1}, "ISNUMERIC": {1, 1},
}

// aggregates are the functions of groups.
var aggregates = map[string]bool{"COUNT": true, "SUM": true, "MIN": true, "MAX": true, "AVG": true, "SAMPLE": true, "GROUP_CONCAT": true}
