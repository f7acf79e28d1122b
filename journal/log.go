package journal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/lacuna-kg/lacuna/kg"
)

// Log is where changes of facts last, in one order: a folder that one server has to itself (Journal), or a database
// that many share (package journal/postgres). Its law:
//
//   - entries are numbered from 1 without gaps, and each is the outcome of one turn;
//   - who has the turn has seen every entry so far, and nobody else appends before the turn has ended;
//   - what Append confirmed lasts; what it did not confirm is an entry whole or not at all.
type Log interface {
	// Begin waits for the turn of a caller whose graph stands at an entry, and looks up the keys of the requests
	// that it is about to answer.
	Begin(ctx context.Context, at Position, keys []string) (Turn, error)
	// Head is what is known of the log's end.
	Head() Head
	// Compact makes the log short. The graph is the outcome of its entries so far, where it is the caller's alone.
	Compact(ctx context.Context, g *kg.Graph) error
	Close() error
}

// Turn is the right to append the next entry. End gives it back, and does nothing after Append.
type Turn interface {
	// Missed are the entries after the caller's, which it has to make first.
	Missed() []Entry
	// Answered is what was answered to a request when its changes were appended, if they were.
	Answered(key string) (answer []byte, ok bool)
	// Append makes an entry of changes, together with what is answered to whoever asked for them.
	Append(ctx context.Context, changes []Change, receipts []Receipt) (Position, error)
	End()
}

// Shared is what there is to a log that others append to as well.
type Shared interface {
	// Read gives entries after one, in their order and perhaps not all at once, none after the last. ErrLost and ErrFolded
	// say that they do not lead on from there.
	Read(ctx context.Context, at Position) ([]Entry, error)
	// Wait returns when somebody may have appended.
	Wait(ctx context.Context)
	// Rebuild is the graph that the log leads to from its beginning.
	Rebuild(ctx context.Context) (*kg.Graph, Position, error)
}

// Position is an entry of a log: its number and, of a shared one, a digest of it and all before it. The zero value is before the first.
type Position struct {
	Version uint64
	Chain   [sha256.Size]byte
}

// Entry is what one turn appended.
type Entry struct {
	At      Position
	Changes []Change
}

// Receipt is what is answered to the request of a key.
type Receipt struct {
	Key    string
	Answer []byte
}

// Head is the end of a log as far as it is known.
type Head struct {
	Version uint64
	Bytes   int64 // that Compact would save
	Err     error // why it is not known better, nil where the log was reached at the last attempt
}

// ErrLost says that the log has no such entry, though it had once: the database was put back to an earlier state.
var ErrLost = errors.New("the log does not have what was read from it before: it was put back to an earlier state")

// ErrFolded says that entries between were folded into one change.
var ErrFolded = errors.New("the log was compacted beyond this entry")

// Unavailable says that a log cannot be reached now, and may be again.
type Unavailable struct {
	Err     error
	InDoubt bool // it was lost while an entry was appended, which may be there or not
}

func (u *Unavailable) Error() string {
	if u.InDoubt {
		return fmt.Sprintf("the log was lost while it was written to: %v", u.Err)
	}
	return fmt.Sprintf("the log cannot be reached: %v", u.Err)
}

func (u *Unavailable) Unwrap() error { return u.Err }

// turn is that of a folder, which nobody else writes to.
type turn struct {
	journal *Journal
	over    bool
}

// Begin waits for the turn.
func (j *Journal) Begin(context.Context, Position, []string) (Turn, error) {
	j.turns.Lock()
	return &turn{journal: j}, nil
}

func (t *turn) Missed() []Entry                { return nil }
func (t *turn) Answered(string) ([]byte, bool) { return nil, false }

func (t *turn) Append(_ context.Context, changes []Change, _ []Receipt) (Position, error) {
	defer t.End()
	if err := t.journal.Append(changes); err != nil {
		return Position{}, err
	}
	return Position{Version: t.journal.Count()}, nil
}

func (t *turn) End() {
	if !t.over {
		t.over = true
		t.journal.turns.Unlock()
	}
}

// Head is the end of the log.
func (j *Journal) Head() Head { return Head{Version: j.Count(), Bytes: j.Bytes()} }
