package read

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Spreadsheets of OpenDocument, as LibreOffice writes them: values only.

// odsFolder makes a folder of the sheets.
func (l *loader) odsFolder(name string, archive *zip.Reader) (*folder, error) {
	data, err := l.entry(name, archive, "content.xml")
	if err != nil {
		return nil, err
	}
	names, tables, err := odsTables(name, data)
	if err != nil {
		return nil, err
	}
	return sheets(name, names, func(sheet int) ([][]string, error) { return tables[sheet], nil })
}

// ods reads the tables of content.xml.
type ods struct {
	tables [][][]string
	names  []string
	row    []string
	blank  int // empty cells behind those of the row
	repeat int // of the row
	cell   strings.Builder
	value  string // of the cell, where it is no text
	times  int    // that the cell stands there
	inCell bool
	cells  int
	most   int
}

func odsTables(name string, data []byte) ([]string, [][][]string, error) {
	decoder, o := xml.NewDecoder(bytes.NewReader(data)), &ods{most: mostCells(data)}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return o.names, o.tables, nil
		}
		if err != nil {
			return nil, nil, kg.Errorf(kg.Invalid, name, "no spreadsheet of OpenDocument: %s", oneLine(err))
		}
		switch t := token.(type) {
		case xml.StartElement:
			o.start(t)
		case xml.CharData:
			if o.inCell && o.cell.Len() < kg.MaxName {
				o.cell.Write(t)
			}
		case xml.EndElement:
			o.end(t.Name.Local)
		}
		if o.cells > o.most {
			return nil, nil, tooManyCells(name)
		}
	}
}

func (o *ods) start(e xml.StartElement) {
	attr := func(name string) string {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	switch e.Name.Local {
	case "table":
		o.names, o.tables = append(o.names, attr("name")), append(o.tables, nil)
	case "table-row":
		o.row, o.blank, o.repeat = nil, 0, repeats(attr("number-rows-repeated"), 1<<20)
	case "table-cell", "covered-table-cell":
		o.cell.Reset()
		o.times = repeats(attr("number-columns-repeated"), maxSheetColumns)
		switch attr("value-type") {
		case "float", "percentage", "currency":
			o.value = attr("value")
		case "date":
			o.value = attr("date-value")
		case "boolean":
			o.value = attr("boolean-value")
		default:
			o.value = ""
		}
	case "p":
		if o.cell.Len() > 0 {
			o.cell.WriteByte('\n')
		}
		o.inCell = true
	case "s":
		o.cell.WriteString(strings.Repeat(" ", min(repeats(attr("c"), 1000), 1000)))
	case "annotation":
		o.times = -o.times // a remark within the cell, whose text is none of it
	}
}

func repeats(text string, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 1
	}
	return min(n, most)
}

func (o *ods) end(name string) {
	switch name {
	case "p":
		o.inCell = false
	case "annotation":
		o.times = max(o.times, -o.times)
		o.cell.Reset()
	case "table-cell", "covered-table-cell":
		text := o.cell.String()
		if o.value != "" {
			text = o.value
		}
		if text == "" { // most often the rest of the row
			o.blank += max(o.times, 0)
			return
		}
		times := min(o.blank+max(o.times, 0), maxSheetColumns-len(o.row))
		o.cells += times
		for range times {
			if o.blank > 0 {
				o.row, o.blank = append(o.row, ""), o.blank-1
			} else {
				o.row = append(o.row, text)
			}
		}
		o.blank = 0
	case "table-row":
		o.row = trimRow(o.row)
		if len(o.row) == 0 || len(o.tables) == 0 {
			return
		}
		last := len(o.tables) - 1
		o.cells += o.repeat
		for range o.repeat {
			o.tables[last] = append(o.tables[last], o.row)
		}
	}
}
