package eval

// nodeMap is a map by the values of some variables of rows. One or two of them, the usual case,
// are keys as they are.
type nodeMap[V any] struct {
	vars []int
	one  map[node]V
	two  map[[2]node]V
	many map[string]V
}

func newNodeMap[V any](vars []int) *nodeMap[V] {
	m := &nodeMap[V]{vars: vars}
	switch len(vars) {
	case 1:
		m.one = map[node]V{}
	case 2:
		m.two = map[[2]node]V{}
	default:
		m.many = map[string]V{}
	}
	return m
}

func (m *nodeMap[V]) get(r row) (value V, known bool) {
	switch len(m.vars) {
	case 1:
		value, known = m.one[r[m.vars[0]]]
	case 2:
		value, known = m.two[[2]node{r[m.vars[0]], r[m.vars[1]]}]
	default:
		var few [64]byte
		value, known = m.many[string(appendKey(few[:0], r, m.vars))]
	}
	return value, known
}

func (m *nodeMap[V]) set(r row, value V) {
	switch len(m.vars) {
	case 1:
		m.one[r[m.vars[0]]] = value
	case 2:
		m.two[[2]node{r[m.vars[0]], r[m.vars[1]]}] = value
	default:
		m.many[string(appendKey(nil, r, m.vars))] = value
	}
}

// appendKey adds the bytes of the values of some variables, different for different values.
func appendKey(key []byte, r row, vars []int) []byte {
	for _, v := range vars {
		for shift := 0; shift < 64; shift += 8 {
			key = append(key, byte(r[v]>>shift))
		}
	}
	return key
}
