// Package pickle reads Python pickles without running them: the query files of
// BetaE and Query2Box, the id maps of a BetaE folder, the tables of a PyTorch
// checkpoint. It knows the opcodes of protocols 0 to 5, and the few globals that
// such files name (see globals.go); any other global is refused by its name. The
// readers of kg, dataset and checkpoint stand on it.
//
// Python values become Go values as follows.
//
//	None                    nil
//	bool                    bool
//	int                     int64; *big.Int beyond 64 bits
//	float                   float64
//	str                     string
//	bytes, bytearray        []byte
//	tuple                   Tuple
//	list                    *List
//	dict, OrderedDict,
//	defaultdict             *Dict, in the order written
//	set, frozenset          *Set, its integers unboxed
//	a class or function     *Global
//	whatever a hook makes   what the hook returned
//
// Values that Python shares are shared here too, hence the pointers, and must not
// be changed. A value never contains itself and nests at most MaxDepth deep, so
// that a caller may walk it recursively.
package pickle

// MaxDepth bounds how deep values nest; the queries of the benchmarks stay below 8.
const MaxDepth = 500

// Tuple is a Python tuple. The empty tuple is not nil.
type Tuple []any

// List is a Python list.
type List struct {
	Items []any
	nesting
}

// Dict is a Python dict. Keys stand in the order in which the pickle writes them,
// Values[i] belongs to Keys[i]. Keys may be tuples, so that there is no map. A key
// written twice, which Python itself never does, stands there twice; the later counts.
type Dict struct {
	Keys, Values []any
	// State is what Python sets as attributes of the dict, such as PyTorch's _metadata; nil for nearly all.
	State any
	nesting
}

// Len is the number of keys.
func (d *Dict) Len() int { return len(d.Keys) }

// Get gives the value of a key that is a string.
func (d *Dict) Get(key string) (value any, ok bool) {
	for i := len(d.Keys) - 1; i >= 0; i-- {
		if k, isString := d.Keys[i].(string); isString && k == key {
			return d.Values[i], true
		}
	}
	return nil, false
}

// Set is a Python set or frozenset. Its members that are an int64 stand in Ints,
// all others in Others, each in the order written. Python writes no member twice;
// a forged file may, and nothing here checks.
type Set struct {
	Ints   []int64
	Others []any
	nesting
}

// Len is the number of members.
func (s *Set) Len() int { return len(s.Ints) + len(s.Others) }

// Global is a class or function named by the pickle, one of the allowed.
type Global struct {
	Module, Name string
	call         Callable
}

func (g *Global) String() string { return g.Module + "." + g.Name }

// nesting keeps values shallow and free of cycles. A container that was put into
// another must not grow any more: only a value that contains itself would need
// that, as Python writes the insides of a container first.
type nesting struct {
	depth  int32
	placed bool
}

func (n *nesting) node() *nesting { return n }

// container is what the stack may hold while it is still growing.
type container interface{ node() *nesting }
