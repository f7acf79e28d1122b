package endpoint

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
)

// PackStream, as far as the tests speak it: the values and messages of Bolt.

// structure is a message or a value with a tag.
type structure struct {
	tag    byte
	fields []any
}

// pack appends a value.
func pack(to []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(to, 0xc0)
	case bool:
		return append(to, map[bool]byte{false: 0xc2, true: 0xc3}[v])
	case int:
		return binary.BigEndian.AppendUint64(append(to, 0xcb), uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64(append(to, 0xc1), math.Float64bits(v))
	case string:
		return append(binary.BigEndian.AppendUint32(append(to, 0xd2), uint32(len(v))), v...)
	case []any:
		to = binary.BigEndian.AppendUint32(append(to, 0xd6), uint32(len(v)))
		for _, each := range v {
			to = pack(to, each)
		}
		return to
	case map[string]any:
		to = binary.BigEndian.AppendUint32(append(to, 0xda), uint32(len(v)))
		for name, each := range v {
			to = pack(pack(to, name), each)
		}
		return to
	case structure:
		to = append(to, 0xb0|byte(len(v.fields)), v.tag)
		for _, each := range v.fields {
			to = pack(to, each)
		}
		return to
	}
	panic(fmt.Sprintf("no PackStream of %T", value))
}

// unpacker reads values; what is malformed panics, as only the driver writes here.
type unpacker struct{ *bufio.Reader }

func (u unpacker) bytes(n int) []byte {
	data := make([]byte, n)
	if _, err := io.ReadFull(u, data); err != nil {
		panic(err)
	}
	return data
}

func (u unpacker) number(size int) int {
	value := int64(0)
	for _, b := range u.bytes(size) {
		value = value<<8 | int64(b)
	}
	shift := 64 - 8*size
	return int(value << shift >> shift)
}

func (u unpacker) length(size int) int { return u.number(size) & (1<<(8*size) - 1) }

func (u unpacker) value() any {
	mark := u.bytes(1)[0]
	switch {
	case mark < 0x80 || mark >= 0xf0:
		return int(int8(mark))
	case mark>>4 == 0x8:
		return string(u.bytes(int(mark & 15)))
	case mark>>4 == 0x9:
		return u.list(int(mark & 15))
	case mark>>4 == 0xa:
		return u.dictionary(int(mark & 15))
	case mark>>4 == 0xb:
		return structure{u.bytes(1)[0], u.list(int(mark & 15))}
	case mark == 0xc0:
		return nil
	case mark == 0xc2 || mark == 0xc3:
		return mark == 0xc3
	case mark >= 0xc8 && mark <= 0xcb:
		return u.number(1 << (mark - 0xc8))
	case mark >= 0xd0 && mark <= 0xd2:
		return string(u.bytes(u.length(1 << (mark - 0xd0))))
	case mark >= 0xd4 && mark <= 0xd6:
		return u.list(u.length(1 << (mark - 0xd4)))
	case mark >= 0xd8 && mark <= 0xda:
		return u.dictionary(u.length(1 << (mark - 0xd8)))
	}
	panic(fmt.Sprintf("PackStream %#x", mark))
}

func (u unpacker) list(n int) []any {
	values := make([]any, n)
	for i := range values {
		values[i] = u.value()
	}
	return values
}

func (u unpacker) dictionary(n int) map[string]any {
	values := make(map[string]any, n)
	for range n {
		name := u.value().(string)
		values[name] = u.value()
	}
	return values
}

// chunked reads the bytes of messages, which come in chunks with their lengths before them.
type chunked struct {
	from io.Reader
	left int
}

func (c *chunked) Read(to []byte) (int, error) {
	for c.left == 0 { // also the end of a message, which is a chunk of none
		var length [2]byte
		if _, err := io.ReadFull(c.from, length[:]); err != nil {
			return 0, err
		}
		c.left = int(binary.BigEndian.Uint16(length[:]))
	}
	n, err := c.from.Read(to[:min(len(to), c.left)])
	c.left -= n
	return n, err
}

// send writes a message.
func send(to net.Conn, tag byte, fields ...any) error {
	message := pack(nil, structure{tag, fields})
	var out []byte
	for len(message) > 0 {
		n := min(len(message), math.MaxUint16)
		out = append(binary.BigEndian.AppendUint16(out, uint16(n)), message[:n]...)
		message = message[n:]
	}
	_, err := to.Write(append(out, 0, 0))
	return err
}
