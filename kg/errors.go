package kg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
)

// Kind says whose fault an error is and what a caller may do about it. The
// command line maps kinds to exit codes, the server maps them to HTTP status.
type Kind uint8

const (
	// Failure is any error that is not the user's: a full disk, a broken pipe.
	Failure Kind = iota
	// Invalid input: a malformed file, query or option.
	Invalid
	// NotFound: a name that the vocabulary lacks, a file that does not exist.
	NotFound
	// TooLarge: the input is well formed and beyond a stated limit.
	TooLarge
	// Cancelled: the caller's context ended first.
	Cancelled
)

// Error is an error the user can act upon: one line that says where and what was expected.
type Error struct {
	Kind  Kind
	Where string // "film.nt:812" or "query:1:14"; may be empty
	What  string
}

func (e *Error) Error() string {
	if e.Where == "" {
		return e.What
	}
	return e.Where + ": " + e.What
}

// Errorf makes an Error of the kind, at a place ("" for none).
func Errorf(kind Kind, where, format string, args ...any) *Error {
	return &Error{Kind: kind, Where: where, What: fmt.Sprintf(format, args...)}
}

// KindOf gives the kind of the first Error in err's chain, and Failure where there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Failure
}

// Stopped is the error of an operation whose context has ended, and nil while it has not.
func Stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return Errorf(Cancelled, "", "stopped: %v", context.Cause(ctx))
}

// WriteError says that path could not be written, in terms of the file that the
// user named rather than the passing one behind it. Nil stays nil.
func WriteError(path string, err error) error {
	var user *Error
	var onPath *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &user):
		return user
	case errors.Is(err, atomicfile.ErrNotAFile):
		return Errorf(Invalid, path, "%v", err)
	case errors.Is(err, fs.ErrNotExist):
		return Errorf(NotFound, path, "there is no folder %s", filepath.Dir(path))
	case errors.As(err, &onPath):
		err = onPath.Err
	}
	return fmt.Errorf("%s: not written: %w", path, err)
}
