package function

import (
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ofNumbers are the functions on numbers (section 17.4.4).
var ofNumbers = map[string]Function{
	"ABS":   rounding("ABS"),
	"CEIL":  rounding("CEIL"),
	"FLOOR": rounding("FLOOR"),
	"ROUND": rounding("ROUND"),
	"RAND":  func(env *Env, _ []term.Term) (term.Term, bool) { return term.DoubleOf(env.Random()).Term(), true },
}

func rounding(how string) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		n, ok := term.NumberOf(a[0])
		if !ok {
			return term.Term{}, false
		}
		return n.Rounded(how).Term(), true
	}
}
