package read

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

var allFormats = []Format{
	detected, TSV, CSV, NTriples, NQuads, Turtle, TriG, RDFXML, JSONLD, GraphML, GEXF, GML, APOC, EdgeList, Parquet, Records,
}

// fuzzOptions makes options of bits, so that every reader meets every option.
func fuzzOptions(format, bits uint8, columns, key, separator string) Options {
	o := Options{Format: allFormats[int(format)%len(allFormats)], Columns: columns, Key: key, Separator: separator, Header: Choice(bits & 3 % 3)}
	o.KeepBlanks, o.SkipBad = bits&4 != 0, bits&8 != 0
	if bits&16 != 0 {
		o.Missing = []string{"", "x"}
	}
	if bits&32 != 0 {
		o.References = map[string]string{"a": "x", "id": "x"}
	}
	if bits&64 != 0 {
		o.Delimiter = ";"[0]
	}
	if bits&128 != 0 {
		o.Unpacked = 1 << 16
	}
	return o
}

// FuzzOptions reads any text by any reader with any options: no panic, one line of an error, the same facts by the plan that
// was made, saved and read again.
func FuzzOptions(f *testing.F) {
	f.Add("{\"a\":\"b\",\"c\":\"d\"}\n", uint8(15), uint8(0), "htr", "", "")
	f.Add("a,b,c,d\n1,x;y,2,\n2,z,NA,p\n", uint8(2), uint8(8), "", "a+b", ";")
	f.Add("id,name,parent_id\n1,x,2\n2,y,\n", uint8(0), uint8(32), "", "", "")
	f.Add("1,x\n2,y\n", uint8(2), uint8(2), "id,-", "row", "|")
	f.Add("[{\"a\":1,\"b\":[{\"c\":2},{\"c\":[3,4]}]},{\"a\":2,\"d\":{\"e\":true}}]", uint8(0), uint8(0), "", "", "")
	f.Add("graph [ node [ id 1 label \"a\" ] edge [ source 1 target 2 ] ]", uint8(11), uint8(0), "", "", "")
	f.Add("<gexf><graph><nodes><node id='a'/></nodes><edges><edge source='a' target='b'/></edges></graph></gexf>", uint8(10), uint8(0), "", "", "")
	f.Add("x=a,b\nhead,relation,tail\n", uint8(1), uint8(1), "x=a,b;y=h", "x=a", "")
	f.Fuzz(func(t *testing.T, text string, format, bits uint8, columns, key, separator string) {
		opts := fuzzOptions(format, bits, columns, key, separator)
		s, err := Stream(t.Context(), strings.NewReader(text), "x", opts)
		if err != nil {
			knownKind(t, err)
			return
		}
		inRange(t, s)
		samePlan(t, []byte(text), s, opts)
	})
}

// samePlan reads a text again by its plan as JSON, and compares.
func samePlan(t *testing.T, text []byte, s *kg.Splits, opts Options) {
	t.Helper()
	plan, err := StreamPlan(context.Background(), bytes.NewReader(text), "x", opts)
	if err != nil {
		t.Fatalf("no plan of what is read: %v", err)
	}
	again, err := ReadPlan(bytes.NewReader(plan.JSON()), "plan")
	if err != nil {
		t.Fatalf("%s: %v", plan.JSON(), err)
	}
	if again.String() != plan.String() || !bytes.Equal(again.JSON(), plan.JSON()) {
		t.Fatalf("%s is another plan when read again:\n%s", plan, again)
	}
	opts.Plan = again
	followed, err := Stream(context.Background(), bytes.NewReader(text), "x", opts)
	if err != nil {
		t.Fatalf("%s: %v", plan, err)
	}
	if got, want := spelled(followed), spelled(s); !slices.Equal(got, want) {
		t.Fatalf("by its plan %q, else %q", got, want)
	}
}

func FuzzContainers(f *testing.F) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, file := range []struct{ name, text string }{
		{"xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" r:id="r"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<R><Relationship Id="r" Target="worksheets/s.xml"/></R>`},
		{"xl/worksheets/s.xml", `<s><row><c r="A1" t="str"><v>film</v></c><c r="B1" t="str"><v>by</v></c></row><row><c t="str"><v>Ran</v></c><c t="str"><v>K</v></c></row></s>`},
	} {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: file.name, Method: zip.Store})
		if err != nil {
			f.Fatal(err)
		}
		if _, err := entry.Write([]byte(file.text)); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(smallDatabase())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Stream(t.Context(), bytes.NewReader(data), "x", Options{Unpacked: 1 << 20})
		if err != nil {
			knownKind(t, err)
			return
		}
		inRange(t, s)
	})
}

// smallDatabase is a file of SQLite with a table of one row, a page for the list of tables and one for the table.
func smallDatabase() []byte {
	data := make([]byte, 1024)
	copy(data, sqliteMark)
	data[16], data[59] = 2, 1 // pages of 512 bytes, UTF-8
	page := func(at, start int, rowid byte, kinds []byte, body string) {
		record := append([]byte{byte(len(kinds) + 1)}, kinds...)
		cell := append([]byte{byte(len(record) + len(body)), rowid}, append(record, body...)...)
		from := 512 - len(cell)
		data[at+start], data[at+start+4] = leafTable, 1
		data[at+start+8], data[at+start+9] = byte(from>>8), byte(from)
		copy(data[at+from:], cell)
	}
	statement := "CREATE TABLE t(a,b)"
	page(0, 100, 1, []byte{23, 15, 15, 1, byte(13 + 2*len(statement))}, "table"+"tt"+"\x02"+statement)
	page(512, 0, 7, []byte{15, 15}, "xy")
	return data
}

// FuzzSQLiteLog reads any bytes as the log of a small database: a page that it gives lies within it.
func FuzzSQLiteLog(f *testing.F) {
	log := make([]byte, walHeader+2*(frameHeader+512))
	binary.BigEndian.PutUint32(log, walMagic)
	binary.BigEndian.PutUint32(log[8:], 512)
	sum := walSum{order: binary.LittleEndian}
	put := func(at int) {
		binary.BigEndian.PutUint32(log[at:], sum.a)
		binary.BigEndian.PutUint32(log[at+4:], sum.b)
	}
	sum.add(log[:24])
	put(24)
	for i := range 2 {
		frame := log[walHeader+i*(frameHeader+512):]
		binary.BigEndian.PutUint32(frame, uint32(i+1))
		binary.BigEndian.PutUint32(frame[4:], 2)
		copy(frame[frameHeader:], smallDatabase()[512*i:])
		sum.add(frame[:8])
		sum.add(frame[frameHeader : frameHeader+512])
		put(walHeader + i*(frameHeader+512) + 16)
	}
	if readLog(bytes.NewReader(log), int64(len(log)), 512) == nil {
		f.Fatal("a sound log is not read")
	}
	f.Add(log)
	f.Add(log[:700])
	f.Fuzz(func(t *testing.T, data []byte) {
		found := readLog(bytes.NewReader(data), int64(len(data)), 512)
		if found == nil {
			return
		}
		for number, at := range found.pages {
			if at < walHeader+frameHeader || at+512 > int64(len(data)) {
				t.Errorf("page %d at %d of %d bytes", number, at, len(data))
			}
		}
	})
}
