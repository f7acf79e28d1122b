package read

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// badRows are the rows of a table that cannot be read. Reading goes on, so that the
// error tells of all, or they are left out where the user says so.
type badRows struct {
	first []*kg.Error
	count int
	skip  bool // they are left out
}

const (
	firstBad = 5
	mostBad  = 1000 // beyond which the table is hardly what the plan says
)

// add takes the error of a row and its text; what is no fault of a row comes back.
func (b *badRows) add(l *loader, err error, text []byte) error {
	var bad *kg.Error
	if !errors.As(err, &bad) || bad.Kind != kg.Invalid {
		return err
	}
	b.count++
	b.skip = l.opts.SkipBad
	if len(b.first) < firstBad {
		b.first = append(b.first, bad)
	}
	if !l.opts.SkipBad {
		if b.count > mostBad {
			return b.err()
		}
		return nil
	}
	l.report.SkippedRows++
	if len(l.report.FirstSkipped) < firstBad {
		l.report.FirstSkipped = append(l.report.FirstSkipped, bad.Error())
	}
	if l.opts.BadRow != nil {
		return l.opts.BadRow(bad, text)
	}
	return nil
}

// err is that of the first bad row, with where the others are.
func (b *badRows) err() error {
	if b.count == 0 || b.skip {
		return nil
	}
	first := b.first[0]
	if b.count == 1 {
		return kg.ErrorAt(first.Kind, first.Place, "%s (--skip-bad leaves the row out)", first.What)
	}
	var also []string
	for _, e := range b.first[1:] {
		also = append(also, fmt.Sprint(e.Place.Line))
	}
	more, number := "", count.Number(b.count)
	if b.count > firstBad {
		more = ", …"
	}
	if b.count > mostBad {
		number = "more than " + count.Number(mostBad)
	}
	return kg.ErrorAt(first.Kind, first.Place, "%s (%s bad rows, also in %s %s%s; --skip-bad leaves them out)",
		first.What, number, count.Either(len(also), "line", "lines"), strings.Join(also, ", "), more)
}
