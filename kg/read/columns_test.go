package read_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// A few megabytes of names of columns took a gigabyte to look at.
func TestColumnsHaveALimit(t *testing.T) {
	const columns = 16_385
	var header, row, objects strings.Builder
	for i := range columns {
		fmt.Fprintf(&header, "c%d,", i)
		row.WriteString("1,")
		fmt.Fprintf(&objects, "{\"id\": \"x%d\", \"k%d\": %d}\n", i, i, i)
	}
	for name, text := range map[string]string{"a.csv": header.String() + "z\n" + row.String() + "1\n", "a.jsonl": objects.String()} {
		_, err := read.Stream(t.Context(), strings.NewReader(text), name, read.Options{})
		var refused *kg.Error
		if !errors.As(err, &refused) || refused.Kind != kg.TooLarge {
			t.Errorf("%s: %v, expected that it is too large", name, err)
		}
	}
}

// Members that come up in later objects only are columns, too, whatever was looked at for the plan.
func TestObjectsWithMembersOfTheirOwn(t *testing.T) {
	var objects strings.Builder
	const rows = 3000
	for i := range rows {
		fmt.Fprintf(&objects, "{\"id\": \"x%d\", \"k%d\": \"v\"}\n", i, i)
	}
	splits, err := read.Stream(t.Context(), strings.NewReader(objects.String()), "a.jsonl", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer splits.Close()
	if found := splits.Train.NumTriples(); found != rows {
		t.Errorf("%d facts, expected %d", found, rows)
	}
}
