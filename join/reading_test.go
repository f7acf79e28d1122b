package join

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What leads from given entities to the answers is read towards these, what hangs on the answers or on the way to them away from there.
func TestReading(t *testing.T) {
	for _, test := range []struct{ question, read string }{
		{"?x : exists y: #0(#1, y) & #2(y, x)", "1-y y-x"},
		{"?x : exists y: #2(y, x)", "x-y"},
		{"?x : exists y, z: #0(#1, y) & #2(y, x) & #4(z, y)", "1-y y-x y-z"},
		{"?x : exists y, z, w: #0(#1, y) & #2(y, x) & #4(z, y) & #6(w, z)", "1-y y-x y-z z-w"},
		{"?x : exists y, z, w: #0(#1, y) & #2(y, x) & #4(z, y) & #6(w, z) & #0(w, #2)", "1-y y-x z-y w-z 2-w"}, // w is given
		{"?x : exists y, z: #0(#1, y) & #2(y, x) & #4(z, y) & #6(z, y)", "1-y y-x y-z y-z"},                    // two links are one way
		{"?x : exists y, z: #0(#1, y) & #2(y, x) & #4(z, y) & #6(z, z)", "1-y y-x y-z z-z"},
		{"?x : exists y, z: #0(#1, y) & #2(y, x) & #4(z, y) & #6(z, x)", "1-y y-x y-z z-x"}, // z is on a way of its own
	} {
		q := parsed(t, test.question)
		var read []string
		name := func(isVariable bool, v int, given uint32) string {
			if isVariable {
				return q.Variables[v]
			}
			return fmt.Sprint(given)
		}
		compile(q).root.eachLink(func(n *node) {
			read = append(read, name(n.head.IsVariable, n.head.Variable, uint32(n.head.Entity))+"-"+name(n.tail.IsVariable, n.tail.Variable, uint32(n.tail.Entity)))
		})
		want := strings.Fields(test.read)
		slices.Sort(read)
		slices.Sort(want)
		if !slices.Equal(read, want) {
			t.Errorf("%s is read %v, want %v", test.question, read, want)
		}
	}
}
