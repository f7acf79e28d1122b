package query

import (
	"strconv"
	"strings"
)

// Shapes are the 14 query types of the BetaE benchmarks, in the order of the
// paper's table: nine of existential positive logic, then five with negation.
var Shapes = []string{
	"1p", "2p", "3p", "2i", "3i", "pi", "ip", "2u", "up",
	"2in", "3in", "inp", "pin", "pni",
}

// publicNames are the shapes that BetaE calls by a name which does not follow
// from their tree. On the left stands the systematic name.
var publicNames = map[string]string{
	"i(1p,2p)":    "pi",
	"i(2p,n(1p))": "pin",
	"i(1p,n(2p))": "pni",
	"p(2i)":       "ip",
	"p(2in)":      "inp",
	"p(2u)":       "up",
}

// ShapeOf names the tree of an expression, whatever its entities and relations:
// one of the 14 public names, their natural extensions (4p, 5i, 3u, 4in), or else
// a systematic name made of these and the letters p (projection), i
// (intersection), u (union), n (complement), e (an entity) and all (the
// universe): "i(1p,2p,n(ip))", "3p(2u)". Order and nesting of the operands of an
// intersection or union and double negation make no difference. ParseShape reads every name back.
func ShapeOf(e Expr) string {
	t, _ := Split(e)
	return t.String()
}

// shapeName names a canonical expression without ids, all of them 0.
func shapeName(e Expr) string {
	name := systematicName(e)
	if public, ok := publicNames[name]; ok {
		return public
	}
	return name
}

func systematicName(e Expr) string {
	switch e := e.(type) {
	case Anchor:
		return "e"
	case Projection:
		return chainName(e)
	case Intersection:
		return branchName("i", e.Of)
	case Union:
		return branchName("u", e.Of)
	case Complement:
		return "n(" + shapeName(e.Of) + ")"
	}
	return "all"
}

// chainName names k projections in a row: "kp" from an entity, "kp(…)" from anything else, k left out if it is 1.
func chainName(e Projection) string {
	steps, of := 1, e.Of
	for {
		inner, more := of.(Projection)
		if !more {
			break
		}
		steps, of = steps+1, inner.Of
	}
	if of == (Anchor{}) {
		return strconv.Itoa(steps) + "p"
	}
	count := ""
	if steps > 1 {
		count = strconv.Itoa(steps)
	}
	return count + "p(" + shapeName(of) + ")"
}

// branchName names an intersection or union: "3i" and "3u" of single
// projections, "3in" with the last one negated, "i(…)" and "u(…)" of anything else.
func branchName(letter string, of []Expr) string {
	names := make([]string, len(of))
	for i, operand := range of {
		names[i] = shapeName(operand)
	}
	single := 0
	for single < len(names) && names[single] == "1p" {
		single++
	}
	count := strconv.Itoa(len(names))
	switch {
	case single == len(names):
		return count + letter
	case letter == "i" && single == len(names)-1 && names[single] == "n(1p)":
		return count + "in"
	}
	return letter + "(" + strings.Join(names, ",") + ")"
}
