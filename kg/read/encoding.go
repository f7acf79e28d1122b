package read

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/lacuna-kg/lacuna/kg"
)

// Text is UTF-8 here. What Excel saves as "Unicode text" is UTF-16 and begins with a mark that says so; its plain CSV is in the code page of the
// country, which nothing in the file tells: the user has to state it.

// utf16 reads the order of bytes from the mark at the beginning; without one it is that of Windows.
var utf16 = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)

// encodingOf finds an encoding by any of the names that browsers know: latin1, windows-1252, shift_jis, utf-16.
func encodingOf(name string) (encoding.Encoding, error) {
	if name == "utf-16" || name == "utf16" {
		return utf16, nil
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, "encoding", "no encoding is called %q, expected utf-8, utf-16, windows-1252, latin1 or another name that browsers know", name)
	}
	return e, nil
}

// isDecoded tells whether the text was in another encoding, stated or found.
func (in *input) isDecoded() bool { return in.from.encoding != nil || in.from.isUTF16.Load() }

// setEncoding finds the stated encoding. UTF-8 is checked where it is read, so that nothing has to be done for it.
func (l *loader) setEncoding() (err error) {
	if name := strings.ToLower(l.opts.Encoding); name != "" && name != "utf-8" && name != "utf8" {
		l.opts.Encoding = name
		l.encoding, err = encodingOf(l.opts.Encoding)
	}
	return err
}

// decoded is a text as UTF-8: from the stated encoding, or from UTF-16 where a mark at the beginning tells it, which isUTF16 then notes.
func (u *unpacker) decoded(text io.Reader) (io.Reader, error) {
	if u.encoding != nil {
		return transform.NewReader(text, u.encoding.NewDecoder()), nil
	}
	begin := bufio.NewReaderSize(text, sampleSize)
	head, err := begin.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.Equal(head, []byte("\xff\xfe")) || bytes.Equal(head, []byte("\xfe\xff")) {
		u.isUTF16.Store(true)
		return transform.NewReader(begin, utf16.NewDecoder()), nil
	}
	return begin, nil
}
