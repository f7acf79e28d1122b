package predict

import (
	"time"

	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

type truth = term.Verdict

const no, undecided, yes = term.No, term.Undecided, term.Yes

// valuation computes expressions whose one variable has a value.
type valuation struct {
	variable string
	value    term.Term
	env      function.Env
}

func newValuation(variable string, meter *limit.Meter) *valuation {
	return &valuation{variable: variable, env: function.Env{Now: time.Now(), Meter: meter}}
}

// truth is what a condition comes to.
func (v *valuation) truth(c syntax.Expr) truth {
	defer v.env.Meter.Settle(v.env.Meter.Passing())
	switch c := c.(type) {
	case syntax.Not:
		return -v.truth(c.Of)
	case syntax.And:
		least := yes
		for _, part := range c.Of {
			least = min(least, v.truth(part))
		}
		return least
	case syntax.Or:
		most := no
		for _, part := range c.Of {
			most = max(most, v.truth(part))
		}
		return most
	case syntax.In:
		most := no
		for _, r := range c.List {
			most = max(most, v.truth(syntax.Compare{Left: c.Left, Right: r, Sign: "="}))
		}
		if c.Not {
			return -most
		}
		return most
	}
	value, ok := v.of(c)
	if !ok {
		return undecided
	}
	return term.VerdictOf(term.Truth(value))
}

// of is the value of an expression; ok is false for an error.
func (v *valuation) of(e syntax.Expr) (value term.Term, ok bool) {
	switch e := e.(type) {
	case syntax.Ref:
		if e.Var != "" {
			return v.value, e.Var == v.variable
		}
		return e.Term, true
	case syntax.Compare:
		return v.apply(e.Sign, e.Left, e.Right)
	case syntax.Arithmetic:
		return v.apply(e.Sign, e.Left, e.Right)
	case syntax.Signed:
		return v.apply("unary "+e.Sign, e.Of)
	case syntax.Call:
		return v.apply(e.Name, e.Args...)
	case syntax.FunctionCall:
		return v.apply(e.IRI, e.Args...)
	}
	t := v.truth(e)
	return function.Boolean(t == yes), t != undecided
}

func (v *valuation) apply(name string, of ...syntax.Expr) (term.Term, bool) {
	f, known := function.Find(name)
	if !known {
		return term.Term{}, false
	}
	args := make([]term.Term, len(of))
	work := 1
	for i, e := range of {
		var ok bool
		if args[i], ok = v.of(e); !ok {
			return term.Term{}, false
		}
		work += len(args[i].Value) / limit.BytesOfStep
	}
	if !v.env.Meter.Spend(work) {
		return term.Term{}, false
	}
	return f(&v.env, args)
}

// chancy are the functions that give another value every time.
var chancy = map[string]bool{"RAND": true, "UUID": true, "STRUUID": true, "BNODE": true}

// uncomputed names a part of an expression that a valuation does not compute, "" for none, and visits the variables of the others.
func uncomputed(e syntax.Expr, visit func(name string)) string {
	var parts []syntax.Expr
	switch e := e.(type) {
	case syntax.Ref:
		if e.Var != "" {
			visit(e.Var)
		}
	case syntax.Compare:
		parts = []syntax.Expr{e.Left, e.Right}
	case syntax.Arithmetic:
		parts = []syntax.Expr{e.Left, e.Right}
	case syntax.Signed:
		parts = []syntax.Expr{e.Of}
	case syntax.In:
		parts = append([]syntax.Expr{e.Left}, e.List...)
	case syntax.And:
		parts = e.Of
	case syntax.Or:
		parts = e.Of
	case syntax.Not:
		parts = []syntax.Expr{e.Of}
	case syntax.Call:
		if _, known := function.Find(e.Name); !known || chancy[e.Name] {
			return "the function " + e.Name
		}
		parts = e.Args
	case syntax.FunctionCall:
		if _, known := function.Find(e.IRI); !known {
			return "the function <" + e.IRI + ">"
		}
		parts = e.Args
	default:
		return "EXISTS or an aggregate within an expression"
	}
	for _, part := range parts {
		if what := uncomputed(part, visit); what != "" {
			return what
		}
	}
	return ""
}
