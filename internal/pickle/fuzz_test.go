package pickle

import (
	"bytes"
	"testing"
)

// FuzzPickle holds the reader to its promises: no panic on any bytes, and a value
// that can be walked recursively, as describe does.
func FuzzPickle(f *testing.F) {
	for i, s := range samples(f) {
		if i%7 == 0 && len(s.pickle) < 200 {
			f.Add(s.pickle)
		}
	}
	f.Add([]byte("cos\nsystem\n(S'true'\ntR."))
	f.Add([]byte("]q\x00h\x00a."))
	f.Fuzz(func(t *testing.T, raw []byte) {
		value, err := Decode(bytes.NewReader(raw), Hooks{})
		if err != nil {
			return
		}
		if nodes(value, 1<<16) < 1<<16 {
			describe(value)
		}
	})
}

// nodes counts what a walk visits, up to a limit: values that are shared may make a walk long.
func nodes(v any, limit int) int {
	count, inner := 1, []any(nil)
	switch v := v.(type) {
	case Tuple:
		inner = v
	case *List:
		inner = v.Items
	case *Dict:
		inner = append(append(inner, v.Keys...), v.Values...)
	case *Set:
		inner = v.Others
	}
	for _, next := range inner {
		if count >= limit {
			break
		}
		count += nodes(next, limit-count)
	}
	return count
}
