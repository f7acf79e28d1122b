// Package postgres keeps changes of facts in a PostgreSQL database, so that any number of servers share them: it is a
// journal.Log that others append to as well.
//
// The database holds one log (schema.go): a row for its head, a row for every entry, the answers to recent requests by
// their keys, and what older entries came to. Who appends locks the head (turn.go), so that entries have one order and no gaps.
// The others are told by NOTIFY, and ask once a second in case they were not (follow.go). Each entry has a digest of all
// before it: a server notices when the database was put back to an earlier state, and rebuilds its graph from
// the log (read.go). Older entries are folded into one change by one server at a time (compact.go).
package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// Log is an open log. It may be used concurrently.
type Log struct {
	name     string // without a password, for what is said
	pool     *pgxpool.Pool
	base     *kg.Graph // that the log begins with
	identity journal.Identity
	id       string // of the log, which names its channel and its locks
	held     string // how long the holder of the lock may be idle

	mutex    sync.Mutex
	head     journal.Head
	given    uint64    // the last entry that the server has from here
	listener *pgx.Conn // nil while there is none
}

// Options of an open log. The zero value is right for a server.
type Options struct {
	ReadOnly bool // nothing is written to the database, not even its tables where it has none
}

// How long things may take. A server that holds the lock and is cut off loses it after heldIdle.
const (
	reachTime    = 3 * time.Second  // to be answered by the database
	lockTime     = "8s"             // to wait for the turn
	heldIdle     = "15s"            // of the lock's holder between two statements
	pollInterval = time.Second      // between two looks at the head, without a word from the database
	keyLife      = "1 hour"         // for which the answer to a request is kept
	keptEntries  = 128              // of the newest that compaction leaves, so that no server that is level has to rebuild
	readAtOnce   = 512              // entries
	maxEntry     = 256 << 20        // bytes
	closeTime    = 2 * time.Second  // to say goodbye to the database
	openTime     = 10 * time.Minute // to read a log at its opening
)

// Open opens the log in a database for a graph, makes its tables where there are none, and gives the graph with the
// changes in it. A log whose changes were made on another graph is refused, unless they concern this one and no server uses it: then they are made on this one.
func Open(ctx context.Context, url string, graph *kg.Graph, options Options) (opened *journal.Opened, err error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	l := &Log{name: nameOf(config), identity: journal.Identify(graph), base: graph.Share(), held: heldIdle}
	if l.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, kg.Errorf(kg.Invalid, l.name, "%v", err)
	}
	defer func() {
		if err != nil {
			l.Close()
			err = l.opening(err)
		}
	}()
	remarks, err := l.prepare(ctx, options)
	if err != nil {
		return nil, err
	}
	opened = &journal.Opened{Name: l.name, Log: l, Shared: l, Remarks: remarks}
	if err := l.adopt(ctx, graph, opened, options); err != nil {
		return nil, err
	}
	all, err := l.readAll(ctx)
	if err != nil {
		return nil, err
	}
	opened.Changes, opened.Compacted, opened.At = all.changes, all.folded > 0, all.at
	opened.Graph, err = journal.Made(ctx, graph, append(all.sum, all.changes...))
	return opened, err
}

// Head is the end of the log as it was seen last.
func (l *Log) Head() journal.Head {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.head
}

// seen notes the end of the log.
func (l *Log) seen(h head) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.head = journal.Head{Version: h.at.Version, Bytes: h.bytes}
}

// gave notes up to which entry the server has the log. That may be fewer than seen: compaction sees the head, too.
func (l *Log) gave(at journal.Position) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.given = at.Version
}

// known tells that the server has an entry.
func (l *Log) known(version uint64) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return version <= l.given
}

// missed notes that the database did not answer, and gives the error as the server wants it.
func (l *Log) missed(err error) error {
	err = l.failure(err)
	var away *journal.Unavailable
	if errors.As(err, &away) {
		l.pool.Reset() // its other connections are no better
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.head.Err = err
	}
	return err
}

// Close ends all connections.
func (l *Log) Close() error {
	l.hangUp()
	l.pool.Close()
	return l.base.Close()
}
