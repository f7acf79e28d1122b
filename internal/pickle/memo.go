package pickle

import "strconv"

// memo keeps the values that later opcodes refer to by number.
type memo struct {
	dense  []item
	sparse map[uint64]item // numbers that no honest writer gives, which must not cost an array of that length
	count  int             // numbers in use; MEMOIZE takes the next
}

// unused marks the gaps of memo.dense.
const unused = -1

// memoize stores the top of the stack under a number. Writers number from 0 or
// 1, at two bytes or more a value below protocol 4, so a number beyond the bytes
// read so far is no index for an array.
func (d *decoder) memoize(number uint64) error {
	last, err := d.top(1)
	if err != nil {
		return err
	}
	if number > uint64(d.offset()) {
		d.memoizeSparse(number, last[0])
		return nil
	}
	for uint64(len(d.dense)) <= number {
		d.dense = append(d.dense, item{depth: unused})
	}
	if d.dense[number].depth == unused {
		d.memo.count++
	}
	d.dense[number] = last[0]
	return nil
}

func (d *decoder) memoizeSparse(number uint64, it item) {
	if d.sparse == nil {
		d.sparse = map[uint64]item{}
	}
	if _, known := d.sparse[number]; !known {
		d.memo.count++
	}
	d.sparse[number] = it
}

func (d *decoder) store(op byte) error {
	number, err := d.memoNumber(op, 'q', 'r')
	if err != nil {
		return err
	}
	return d.memoize(number)
}

func (d *decoder) recall(op byte) error {
	number, err := d.memoNumber(op, 'h', 'j')
	if err != nil {
		return err
	}
	if number < uint64(len(d.dense)) && d.dense[number].depth != unused {
		d.stack = append(d.stack, d.dense[number])
		return nil
	}
	it, ok := d.sparse[number]
	if !ok {
		return d.errorf("memo %d is used before it is stored", number)
	}
	d.stack = append(d.stack, it)
	return nil
}

// memoNumber reads a number of one byte, of four, or a line of text.
func (d *decoder) memoNumber(op, short, long byte) (uint64, error) {
	switch op {
	case short:
		return d.uint(1)
	case long:
		return d.uint(4)
	}
	line, err := d.line()
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseUint(line, 10, 32)
	if err != nil {
		return 0, d.errorf("%q is not the number of a memo", line)
	}
	return number, nil
}
