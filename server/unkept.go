package server

import (
	"context"
	"errors"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// unkept is the log of facts that are kept in memory only: it counts them.
type unkept struct{}

func (unkept) Begin(_ context.Context, at journal.Position, _ []string) (journal.Turn, error) {
	return unkeptTurn(at), nil
}
func (unkept) Head() journal.Head                       { return journal.Head{} }
func (unkept) Compact(context.Context, *kg.Graph) error { return nil }
func (unkept) Close() error                             { return nil }

type unkeptTurn journal.Position

func (unkeptTurn) Missed() []journal.Entry        { return nil }
func (unkeptTurn) Answered(string) ([]byte, bool) { return nil, false }
func (unkeptTurn) End()                           {}
func (t unkeptTurn) Append(context.Context, []journal.Change, []journal.Receipt) (journal.Position, error) {
	return journal.Position{Version: t.Version + 1}, nil
}

// unavailable tells that an error is of a log that cannot be reached.
func unavailable(err error) bool {
	var away *journal.Unavailable
	return errors.As(err, &away)
}

// inDoubt tells that nobody knows whether an entry was appended.
func inDoubt(err error) bool {
	var away *journal.Unavailable
	return errors.As(err, &away) && away.InDoubt
}

// refusal is what a client is told whose change was not made, or perhaps was, by the key of its request.
func refusal(err error, key string) error {
	switch {
	case inDoubt(err):
		return unreachable("the database of facts went away while the change was written, which may hold or not: send it again with the key " + key)
	case unavailable(err), errors.Is(err, journal.ErrLost), errors.Is(err, journal.ErrFolded):
		return unreachable("facts cannot be changed now: their database cannot be reached; questions are answered")
	}
	return err
}
