package read

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Workbooks of Excel: values only, no formulas. The format is small where only values count, so that it is read here: the
// libraries for it bring formulas, charts and styles, several MB of them.

// workbook is what the sheets of a workbook share.
type workbook struct {
	name    string
	archive *zip.Reader
	strings []string
	dates   []bool // whether the cells of a style are dates
	from    time.Time
	merged  map[string]int // cells filled from one that they are merged with, by the part of the sheet
}

type xlsxBook struct {
	Properties struct {
		From1904 string `xml:"date1904,attr"`
	} `xml:"workbookPr"`
	Sheets []struct {
		Name string `xml:"name,attr"`
		ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
	} `xml:"sheets>sheet"`
}

type xlsxRelations struct {
	Relations []struct {
		ID     string `xml:"Id,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// xlsxFolder makes a folder of the sheets.
func (l *loader) xlsxFolder(name string, archive *zip.Reader) (*folder, error) {
	w := &workbook{name: name, archive: archive, merged: map[string]int{}, from: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	var book xlsxBook
	var relations xlsxRelations
	if err := l.xlsxPart(w, "xl/workbook.xml", &book); err != nil {
		return nil, err
	}
	if err := l.xlsxPart(w, "xl/_rels/workbook.xml.rels", &relations); err != nil {
		return nil, err
	}
	if isTrue := book.Properties.From1904; isTrue == "1" || isTrue == "true" {
		w.from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if err := l.xlsxShared(w); err != nil {
		return nil, err
	}
	var names, files []string
	for _, sheet := range book.Sheets {
		for _, r := range relations.Relations {
			if r.ID == sheet.ID && strings.Contains(r.Target, "worksheets/") {
				target := strings.TrimPrefix(r.Target, "/")
				if !strings.HasPrefix(target, "xl/") {
					target = path.Join("xl", target)
				}
				names, files = append(names, sheet.Name), append(files, target)
			}
		}
	}
	f, err := sheets(name, names, func(sheet int) ([][]string, error) {
		data, err := l.entry(name, archive, files[sheet])
		if err != nil {
			return nil, err
		}
		rows, filled, err := w.rows(data)
		if filled > 0 && w.merged != nil {
			w.merged[names[sheet]] = filled
		}
		return rows, err
	})
	for sheet, filled := range w.merged {
		l.note("%s/%s: %s filled from the one above, with which it is merged", name, sheet, count.Of(filled, "cell"))
	}
	w.merged = nil // which was counted
	return f, err
}

func (l *loader) xlsxPart(w *workbook, part string, into any) error {
	data, err := l.entry(w.name, w.archive, part)
	if err != nil {
		return err
	}
	if err := xml.Unmarshal(data, into); err != nil {
		return kg.Errorf(kg.Invalid, w.name, "no workbook of Excel: %s: %v", part, oneLine(err))
	}
	return nil
}

// oneLine is an error of a library in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// xlsxText is a text, in one piece or in runs of different looks.
type xlsxText struct {
	Text string `xml:"t"`
	Runs []struct {
		Text string `xml:"t"`
	} `xml:"r"`
}

func (t *xlsxText) String() string {
	var b strings.Builder
	b.WriteString(t.Text)
	for _, run := range t.Runs {
		b.WriteString(run.Text)
	}
	return b.String()
}

// xlsxShared reads the texts that cells refer to, and which styles are those of dates.
func (l *loader) xlsxShared(w *workbook) error {
	if hasEntry(w.archive, "xl/sharedStrings.xml") {
		var shared struct {
			Items []xlsxText `xml:"si"`
		}
		if err := l.xlsxPart(w, "xl/sharedStrings.xml", &shared); err != nil {
			return err
		}
		for i := range shared.Items {
			w.strings = append(w.strings, shared.Items[i].String())
		}
	}
	if !hasEntry(w.archive, "xl/styles.xml") {
		return nil
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := l.xlsxPart(w, "xl/styles.xml", &styles); err != nil {
		return err
	}
	own := map[int]string{}
	for _, f := range styles.Formats {
		own[f.ID] = f.Code
	}
	for _, c := range styles.Cells {
		code, stated := own[c.Format]
		w.dates = append(w.dates, stated && isDateFormat(code) || !stated && (c.Format >= 14 && c.Format <= 22 || c.Format >= 45 && c.Format <= 47))
	}
	return nil
}

// isDateFormat tells a format of numbers that shows days or hours, texts in it aside.
func isDateFormat(code string) bool {
	quoted, bracket := false, false
	for _, char := range code {
		switch {
		case char == '"':
			quoted = !quoted
		case quoted:
		case char == '[':
			bracket = true
		case char == ']':
			bracket = false
		case !bracket && strings.ContainsRune("ymdhsYMDHS", char):
			return true
		}
	}
	return false
}

type xlsxCell struct {
	Place  string   `xml:"r,attr"`
	Type   string   `xml:"t,attr"`
	Style  int      `xml:"s,attr"`
	Value  string   `xml:"v"`
	Inline xlsxText `xml:"is"`
}

// maxSheetColumns is the most that Excel has.
const maxSheetColumns = 16384

// rows reads the cells of a sheet; empty rows are left out. Filled counts the cells that have the value of one above.
func (w *workbook) rows(data []byte) (rows [][]string, filled int, err error) {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	var merged mergedCells
	var row []string
	cells, most := 0, mostCells(data)
	flush := func() {
		if row = trimRow(row); len(row) > 0 {
			merged.kept(len(rows))
			rows = append(rows, row)
		}
		row = nil
	}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			flush()
			return rows, merged.filled, nil
		}
		if err != nil {
			return nil, 0, kg.Errorf(kg.Invalid, w.name, "no workbook of Excel: %s", oneLine(err))
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "row":
			flush()
			merged.begin(start)
		case "mergeCell":
			flush()
			merged.fill(rows, start, most-cells-merged.filled)
		case "c":
			var cell xlsxCell
			if err := decoder.DecodeElement(&cell, &start); err != nil {
				return nil, 0, kg.Errorf(kg.Invalid, w.name, "no workbook of Excel: %s", oneLine(err))
			}
			at := columnOfPlace(cell.Place, len(row))
			if at >= maxSheetColumns {
				return nil, 0, kg.Errorf(kg.Invalid, w.name, "a cell %s, beyond the columns of Excel", cell.Place)
			}
			if cells += max(0, at+1-len(row)); cells > most {
				return nil, 0, tooManyCells(w.name)
			}
			for len(row) <= at {
				row = append(row, "")
			}
			row[at] = w.text(&cell)
		}
	}
}

// columnOfPlace is the number of the column in a place such as AB12, from 0.
func columnOfPlace(place string, next int) int {
	at := 0
	for i := 0; i < len(place) && place[i] >= 'A' && place[i] <= 'Z' && at < maxSheetColumns; i++ {
		at = at*26 + int(place[i]-'A') + 1
	}
	if at == 0 {
		return next
	}
	return at - 1
}

// text is a cell's value as a table would have it.
func (w *workbook) text(c *xlsxCell) string {
	switch c.Type {
	case "s":
		if at, err := strconv.Atoi(c.Value); err == nil && at >= 0 && at < len(w.strings) {
			return w.strings[at]
		}
		return ""
	case "inlineStr":
		return c.Inline.String()
	case "b":
		return map[string]string{"1": "true", "0": "false"}[c.Value]
	case "e": // #N/A and the like
		return ""
	case "str", "d":
		return c.Value
	}
	number, err := strconv.ParseFloat(c.Value, 64)
	if err != nil {
		return c.Value
	}
	if c.Style >= 0 && c.Style < len(w.dates) && w.dates[c.Style] && number >= 0 && number < 3e6 {
		return dateOfSerial(w.from, number)
	}
	if number == math.Trunc(number) && math.Abs(number) < 1e15 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}

// dateOfSerial is the date that Excel counts in days; less than a day is a time.
func dateOfSerial(from time.Time, days float64) string {
	whole := math.Floor(days)
	at := from.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round((days-whole)*86400)) * time.Second)
	switch {
	case whole == 0:
		return at.Format(time.TimeOnly)
	case whole == days:
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05")
}
