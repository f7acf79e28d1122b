package kg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

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
	Place Place
	What  string

	cause error // nil where there is none
}

// Unwrap gives the error behind it, so that errors.Is finds context.Canceled or fs.ErrNotExist.
func (e *Error) Unwrap() error { return e.cause }

// Place is where an error is: "film.nt:812" or "query:1:14". Any part may be missing.
type Place struct {
	Name   string // a file, an option, the kind of a text
	Line   int    // from 1; 0 where the error is of the whole
	Column int    // in characters, from 1; 0 where it is of the line
}

func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.Name
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.Name, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.Name, p.Line, p.Column)
}

func (e *Error) Error() string {
	if e.Place == (Place{}) {
		return e.What
	}
	return e.Place.String() + ": " + e.What
}

// Errorf makes an Error of the kind about something named ("" for none).
func Errorf(kind Kind, name, format string, args ...any) *Error {
	return ErrorAt(kind, Place{Name: name}, format, args...)
}

// ErrorAt makes an Error of the kind at a place of a text.
func ErrorAt(kind Kind, at Place, format string, args ...any) *Error {
	e := &Error{Kind: kind, Place: at, What: fmt.Sprintf(format, args...)}
	for _, arg := range args {
		if cause, isError := arg.(error); isError {
			e.cause = cause
			break
		}
	}
	return e
}

// because names the error behind one that says it in other words.
func (e *Error) because(cause error) *Error {
	e.cause = cause
	return e
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
	ended := ctx.Err()
	if ended == nil {
		return nil
	}
	cause := context.Cause(ctx)
	return Errorf(Cancelled, "", "stopped: %v", cause).because(errors.Join(ended, cause))
}

// ReadError says that path could not be read, as the operating system says it, in one line with a kind. Nil stays nil.
func ReadError(path string, err error) error {
	if err == nil {
		return nil
	}
	var onPath *fs.PathError
	if errors.As(err, &onPath) {
		err = onPath.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Errorf(NotFound, path, "no such file or folder").because(err)
	case errors.Is(err, fs.ErrPermission):
		return Errorf(Invalid, path, "permission denied").because(err)
	case errors.Is(err, syscall.EISDIR):
		return Errorf(Invalid, path, "it is a folder, expected a file")
	}
	return Errorf(Failure, path, "%v", err)
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
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
	case errors.Is(err, fs.ErrNotExist) && isMissing(filepath.Dir(path)):
		return Errorf(NotFound, path, "there is no folder %s", filepath.Dir(path))
	case errors.As(err, &onPath):
		err = onPath.Err
	}
	return fmt.Errorf("%s: not written: %w", path, err)
}
