package pickle

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDigits bounds integers: reading a decimal number takes time beyond linear in its length.
const maxDigits = 4096

// binaryLong reads a two's complement integer, little-endian, of any length.
func (d *decoder) binaryLong(width int) error {
	raw, err := d.sized(width)
	if err != nil {
		return err
	}
	if len(raw) <= 8 {
		return d.push(signExtend(raw), 0)
	}
	if len(raw) > maxDigits {
		return d.errorf("an integer of %d bytes, expected at most %d", len(raw), maxDigits)
	}
	negative := raw[len(raw)-1]&0x80 != 0
	slices.Reverse(raw)
	value := new(big.Int).SetBytes(raw)
	if negative {
		value.Sub(value, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	return d.pushInt(value)
}

func signExtend(raw []byte) int64 {
	value := int64(0)
	for i, b := range raw {
		value |= int64(b) << (8 * i)
	}
	unused := 64 - 8*len(raw)
	return value << unused >> unused
}

func (d *decoder) pushInt(value *big.Int) error {
	if value.IsInt64() {
		return d.push(value.Int64(), 0)
	}
	return d.push(value, 0)
}

// textScalar reads the opcodes of protocol 0 that end with their line.
func (d *decoder) textScalar(op byte) error {
	line, err := d.line()
	if err != nil {
		return err
	}
	switch op {
	case 'I':
		if line == "00" || line == "01" { // how protocol 0 writes booleans
			return d.push(line == "01", 0)
		}
		return d.decimal(line)
	case 'L':
		return d.decimal(strings.TrimSuffix(line, "L"))
	case 'F':
		value, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return d.errorf("%q is not a float", line)
		}
		return d.push(value, 0)
	case 'S':
		return d.quotedString(line)
	}
	return d.escapedUnicode(line)
}

func (d *decoder) decimal(line string) error {
	if small, err := strconv.ParseInt(line, 10, 64); err == nil {
		return d.push(small, 0)
	}
	if len(line) > maxDigits {
		return d.errorf("an integer of %d digits, expected at most %d", len(line), maxDigits)
	}
	value, ok := new(big.Int).SetString(line, 10)
	if !ok {
		return d.errorf("%q is not an integer", line)
	}
	return d.pushInt(value)
}

// quotedString reads the repr of a str as Python 2 wrote it.
func (d *decoder) quotedString(line string) error {
	line = strings.TrimRight(line, " \r")
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' {
		return d.errorf("expected a string in quotes")
	}
	quote, rest := line[0], line[1:len(line)-1]
	var text []byte
	for rest != "" {
		if rest[0] == quote {
			return d.errorf("a quote within a string in quotes")
		}
		// Python's escapes of a str are among those of Go, except that a byte above 0x7f must stay one.
		char, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			return d.errorf("a bad escape in a string")
		}
		if multibyte {
			text = utf8.AppendRune(text, char)
		} else {
			text = append(text, byte(char))
		}
		rest = tail
	}
	return d.push(string(text), 0)
}

// escapedUnicode reads Python's raw-unicode-escape: \u with four and \U with eight hexadecimal digits are
// escapes, every other byte, the backslash included, is the character of that number.
func (d *decoder) escapedUnicode(line string) error {
	var text strings.Builder
	for at := 0; at < len(line); {
		digits := 0
		if strings.HasPrefix(line[at:], `\u`) {
			digits = 4
		} else if strings.HasPrefix(line[at:], `\U`) {
			digits = 8
		}
		if digits == 0 {
			text.WriteRune(rune(line[at]))
			at++
			continue
		}
		if at+2+digits > len(line) {
			return d.errorf("a bad escape in a str")
		}
		code, err := strconv.ParseUint(line[at+2:at+2+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return d.errorf("a bad escape in a str")
		}
		text.WriteRune(rune(code))
		at += 2 + digits
	}
	return d.push(text.String(), 0)
}
