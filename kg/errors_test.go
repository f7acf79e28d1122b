package kg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// What is behind an error is found, however it is said.
func TestErrorsUnwrap(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrUnexpectedEOF)
	_, missing := os.Open(filepath.Join(t.TempDir(), "none"))
	for _, c := range []struct{ err, want error }{
		{Stopped(ctx), context.Canceled}, {Stopped(ctx), io.ErrUnexpectedEOF},
		{ReadError("none", missing), fs.ErrNotExist}, {Errorf(Failure, "f", "not read: %v", io.EOF), io.EOF},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%v is not %v", c.err, c.want)
		}
	}
}
