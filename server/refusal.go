package server

import (
	"errors"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

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

// refusal is what a client is told whose change was not made, or perhaps was, by the key of its request. What is wrong
// with a log that others share is not the client's fault.
func (s *Service) refusal(err error, key string) error {
	const now = "facts cannot be changed now, questions are answered: "
	switch {
	case inDoubt(err):
		return unreachable("the database of facts was lost while the change was written, which may hold or not: send it again with the key " + key)
	case unavailable(err):
		return unreachable(now + "their database cannot be reached")
	case errors.Is(err, journal.ErrLost), errors.Is(err, journal.ErrFolded):
		return unreachable(now + "the graph is being rebuilt from the log of facts")
	case s.shared != nil && kg.KindOf(err) != kg.TooLarge:
		return unreachable(now + "the server's log says why")
	}
	return err
}
