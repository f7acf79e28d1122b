package kg

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorText(t *testing.T) {
	for want, at := range map[string]Place{
		"too short":              {},
		"film.nt: too short":     {Name: "film.nt"},
		"film.nt:812: too short": {Name: "film.nt", Line: 812},
		"query:1:14: too short":  {Name: "query", Line: 1, Column: 14},
	} {
		err := fmt.Errorf("wrapped: %w", ErrorAt(Invalid, at, "too %s", "short"))
		var user *Error
		if !errors.As(err, &user) || user.Error() != want || user.Place != at || KindOf(err) != Invalid {
			t.Errorf("%v, want %q at %+v", err, want, at)
		}
	}
	if err := Errorf(NotFound, "films", "no such folder"); err.Error() != "films: no such folder" || err.Place != (Place{Name: "films"}) {
		t.Errorf("%v", err)
	}
}
