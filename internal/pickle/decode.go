package pickle

import (
	"encoding/binary"
	"io"
	"math"
	"unicode/utf8"
)

// Hooks lets a caller admit more than the fixed list of globals. The zero value admits nothing else.
type Hooks struct {
	// Global gives what stands for a class or function outside the list, nil to refuse it.
	Global func(module, name string) Callable
	// Persistent gives the value that a persistent id (BINPERSID) stands for.
	Persistent func(id any) (any, error)
}

// Callable stands for a Python class or function; it must not change its arguments.
type Callable func(args Tuple) (any, error)

// Stateful is satisfied by values of hooks that take a state after they are made (BUILD).
type Stateful interface{ SetState(state any) error }

// Decode reads one pickle and gives its value. It reads r in blocks, perhaps beyond the pickle's end.
func Decode(r io.Reader, hooks Hooks) (any, error) {
	d := &decoder{source: newSource(r), hooks: hooks}
	for {
		op, err := d.byte()
		if err != nil {
			return nil, err
		}
		if op == '.' {
			return d.result()
		}
		if err := d.step(op); err != nil {
			return nil, err
		}
	}
}

// item is a value on the stack or in the memo. Containers keep their depth
// themselves, as they grow; of all other values it stands here.
type item struct {
	value any
	depth int32
}

// decoder is the pickle machine: a stack with marks, and a memo.
type decoder struct {
	source
	hooks Hooks
	stack []item
	marks []int // heights of the stack
	memo
	small  []any // boxed 0 … 65535, made on demand: ids repeat, and boxing each costs more than all the rest
	room   []any // memory for the next tuples
	copied int64 // items copied by calls, see charge
}

func (d *decoder) result() (any, error) {
	if len(d.stack) != 1 || len(d.marks) != 0 {
		return nil, d.errorf("%d values at the end, expected one", len(d.stack))
	}
	return d.stack[0].value, nil
}

// step runs one opcode. Names of opcodes are those of Python's pickletools.
func (d *decoder) step(op byte) error {
	switch op {
	case '(': // MARK
		d.marks = append(d.marks, len(d.stack))
		return nil
	case 'K': // BININT1
		return d.smallInt(1)
	case 'M': // BININT2
		return d.smallInt(2)
	case 'J': // BININT
		return d.fixedInt()
	case 0x94: // MEMOIZE
		return d.memoize(uint64(d.memo.count))
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		return d.tupleOf(int(op - 0x84))
	case 't': // TUPLE
		return d.tupleFromMark()
	case ')': // EMPTY_TUPLE
		return d.push(Tuple{}, 1)
	case ']': // EMPTY_LIST
		return d.push(&List{nesting: nesting{depth: 1}}, 1)
	case '}': // EMPTY_DICT
		return d.push(&Dict{nesting: nesting{depth: 1}}, 1)
	case 0x8f: // EMPTY_SET
		return d.push(&Set{nesting: nesting{depth: 1}}, 1)
	case 'l': // LIST
		return d.listFromMark()
	case 'd': // DICT
		return d.dictFromMark()
	case 0x91: // FROZENSET
		return d.setFromMark()
	case 'a': // APPEND
		return d.extendList(1)
	case 'e': // APPENDS
		return d.fromMark(d.extendList)
	case 's': // SETITEM
		return d.extendDict(2)
	case 'u': // SETITEMS
		return d.fromMark(d.extendDict)
	case 0x90: // ADDITEMS
		return d.fromMark(d.extendSet)
	case 'N': // NONE
		return d.push(nil, 0)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		return d.push(op == 0x88, 0)
	case 0x80, 0x95: // PROTO, FRAME
		return d.header(op)
	case '0', '1', '2': // POP, POP_MARK, DUP
		return d.shuffle(op)
	}
	return d.stepScalar(op)
}

// stepScalar runs the opcodes of strings, numbers and the memo, which are the rarer ones.
func (d *decoder) stepScalar(op byte) error {
	switch op {
	case 0x8c: // SHORT_BINUNICODE
		return d.unicode(1)
	case 'X': // BINUNICODE
		return d.unicode(4)
	case 0x8d: // BINUNICODE8
		return d.unicode(8)
	case 'U', 'T': // SHORT_BINSTRING, BINSTRING
		return d.legacyString(op)
	case 'C': // SHORT_BINBYTES
		return d.rawBytes(1)
	case 'B': // BINBYTES
		return d.rawBytes(4)
	case 0x8e, 0x96: // BINBYTES8, BYTEARRAY8
		return d.rawBytes(8)
	case 'G': // BINFLOAT
		return d.binaryFloat()
	case 0x8a: // LONG1
		return d.binaryLong(1)
	case 0x8b: // LONG4
		return d.binaryLong(4)
	case 'I', 'L', 'F', 'S', 'V': // INT, LONG, FLOAT, STRING, UNICODE
		return d.textScalar(op)
	case 'h', 'j', 'g': // BINGET, LONG_BINGET, GET
		return d.recall(op)
	case 'q', 'r', 'p': // BINPUT, LONG_BINPUT, PUT
		return d.store(op)
	case 'c', 0x93: // GLOBAL, STACK_GLOBAL
		return d.global(op)
	case 'R', 0x81: // REDUCE, NEWOBJ
		return d.reduce()
	case 'b': // BUILD
		return d.build()
	case 'P', 'Q': // PERSID, BINPERSID
		return d.persistent(op)
	}
	return d.errorf("opcode 0x%02x (%q) is not part of any data this reads", op, rune(op))
}

func (d *decoder) push(value any, depth int32) error {
	d.stack = append(d.stack, item{value, depth})
	return nil
}

// top gives the last n items, none of them below the last mark.
func (d *decoder) top(n int) ([]item, error) {
	floor := 0
	if len(d.marks) > 0 {
		floor = d.marks[len(d.marks)-1]
	}
	if len(d.stack)-floor < n {
		return nil, d.errorf("an opcode needs %d values and the stack has %d", n, len(d.stack)-floor)
	}
	return d.stack[len(d.stack)-n:], nil
}

func (d *decoder) pop() (item, error) {
	last, err := d.top(1)
	if err != nil {
		return item{}, err
	}
	d.drop(1)
	return last[0], nil
}

func (d *decoder) drop(n int) { d.stack = d.stack[:len(d.stack)-n] }

// takeMark removes the last mark and gives the number of items above it.
func (d *decoder) takeMark() (int, error) {
	if len(d.marks) == 0 {
		return 0, d.errorf("an opcode needs a MARK and there is none")
	}
	mark := d.marks[len(d.marks)-1]
	d.marks = d.marks[:len(d.marks)-1]
	return len(d.stack) - mark, nil
}

func (d *decoder) fromMark(extend func(n int) error) error {
	n, err := d.takeMark()
	if err != nil {
		return err
	}
	return extend(n)
}

// header skips over the protocol's number, which must be one that is known, and a frame's length.
func (d *decoder) header(op byte) error {
	if op == 0x95 {
		_, err := d.uint(8)
		return err
	}
	version, err := d.byte()
	if err == nil && version > 5 {
		return d.errorf("protocol %d, expected at most 5", version)
	}
	return err
}

func (d *decoder) shuffle(op byte) error {
	switch op {
	case '0':
		_, err := d.pop()
		return err
	case '1':
		n, err := d.takeMark()
		d.drop(n)
		return err
	}
	last, err := d.top(1)
	if err != nil {
		return err
	}
	d.stack = append(d.stack, last[0])
	return nil
}

func (d *decoder) unicode(width int) error {
	text, err := d.sized(width)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return d.errorf("a str that is not valid UTF-8")
	}
	return d.push(string(text), 0)
}

// legacyString takes a str of Python 2 as it is: bytes that nearly always are ASCII.
func (d *decoder) legacyString(op byte) error {
	width := 1
	if op == 'T' {
		width = 4
	}
	text, err := d.sized(width)
	if err != nil {
		return err
	}
	return d.push(string(text), 0)
}

func (d *decoder) rawBytes(width int) error {
	raw, err := d.sized(width)
	if err != nil {
		return err
	}
	return d.push(raw, 0)
}

func (d *decoder) binaryFloat() error {
	raw, err := d.bytes(8)
	if err != nil {
		return err
	}
	return d.push(math.Float64frombits(binary.BigEndian.Uint64(raw)), 0)
}

func (d *decoder) smallInt(width int) error {
	value, err := d.uint(width)
	if err != nil {
		return err
	}
	if int(value) >= len(d.small) {
		d.small = append(d.small, make([]any, max(256, 2*int(value))-len(d.small))...)
	}
	if d.small[value] == nil {
		d.small[value] = int64(value)
	}
	return d.push(d.small[value], 0)
}

func (d *decoder) fixedInt() error {
	value, err := d.uint(4)
	if err != nil {
		return err
	}
	return d.push(int64(int32(value)), 0)
}

func (d *decoder) persistent(op byte) error {
	var id any
	if op == 'P' {
		line, err := d.line()
		if err != nil {
			return err
		}
		id = line
	} else {
		popped, err := d.pop()
		if err != nil {
			return err
		}
		id = popped.value
	}
	if d.hooks.Persistent == nil {
		return d.errorf("a persistent id, which refers to data outside this pickle")
	}
	value, err := d.hooks.Persistent(id)
	if err != nil {
		return d.errorf("persistent id: %v", err)
	}
	return d.push(value, 1)
}
