package dataset

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/query"
)

// FuzzReadQueries feeds files whose checksum is put right, so that what stands
// behind it is reached. What is read must be sound and survive another round.
func FuzzReadQueries(f *testing.F) {
	file := smallFile(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte(fileMark))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = slices.Clone(data)
		if len(data) >= suffixBytes {
			copy(data[len(data)-len(endMark):], endMark)
			var sum crc
			_, _ = sum.Write(data[:len(data)-suffixBytes+4])
			binary.LittleEndian.PutUint32(data[len(data)-suffixBytes+4:], sum.sum)
		}
		r, err := newReader(bytes.NewReader(data), int64(len(data)), "fuzz.queries")
		if err != nil {
			return
		}
		var queries []Query
		for q, err := range r.Queries(t.Context()) {
			if err != nil {
				return
			}
			if err := checkQuery(q, r.header.bounds()); err != nil {
				t.Fatalf("a query that no writer takes: %v", err)
			}
			queries = append(queries, q)
		}
		again, err := OpenReader(writeFile(t, r.Header(), queries))
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		got := collect(t, again.Queries(t.Context()))
		if !slices.EqualFunc(byTemplate(got), byTemplate(queries), sameQuery) {
			t.Fatal("the queries changed when written again")
		}
	})
}

// FuzzDecodeBlock reaches the columns without a compressor in between.
func FuzzDecodeBlock(f *testing.F) {
	f.Add("i2penpe", byte(0), 1, []byte{1, 2, 3, 4, 1, 0, 5})
	f.Add("pe", byte(3), 2, []byte{1, 2, 3, 4})
	f.Add("a", byte(1), 1, []byte{2, 0, 0})
	f.Fuzz(func(t *testing.T, text string, absent byte, queries int, data []byte) {
		parsed, err := parseTemplate(text)
		if err != nil || queries < 0 {
			return
		}
		within := bounds{entities: 100, relations: 10}
		decoded, err := decodeBlock(data, parsed, Parts(absent&3), queries, within)
		if err != nil {
			return
		}
		var again blockBuilder
		for _, q := range decoded {
			if err := checkQuery(q, within); err != nil {
				t.Fatal(err)
			}
			back, numbers := query.Split(q.Expr)
			if back.Code() != text {
				t.Fatalf("template %q came back as %q", text, back.Code())
			}
			again.add(numbers, q)
		}
		// Padded varints are read, so that only a second round must give the same bytes.
		encoded := again.bytes()
		second, err := decodeBlock(encoded, parsed, Parts(absent&3), queries, within)
		if err != nil || !slices.EqualFunc(second, decoded, sameQuery) {
			t.Fatalf("the block changed when written again: %v", err)
		}
	})
}
