package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Wait returns when an entry was made known, or after a second. One goroutine may wait at a time.
func (l *Log) Wait(ctx context.Context) {
	conn, fresh := l.listening(ctx)
	if fresh {
		return // what was appended before is not made known any more
	}
	ctx, cancel := context.WithTimeout(ctx, pollInterval)
	defer cancel()
	if conn == nil {
		<-ctx.Done()
		return
	}
	for {
		told, err := conn.WaitForNotification(ctx)
		if err != nil {
			l.unheard(ctx)
			return
		}
		if version, err := strconv.ParseUint(told.Payload, 10, 64); err != nil || !l.known(version) {
			return // else it is one's own, or was read together with one before
		}
	}
}

// unheard gives up a connection that was lost; that no word came within the time is nothing.
func (l *Log) unheard(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	l.hangUp()
	select { // not at once: the database may be on its way down
	case <-time.After(pollInterval / 10):
	case <-ctx.Done():
	}
}

// listening is the connection that entries are made known on, made anew (fresh) where it was lost, nil where it cannot be. A link may
// be cut without a word: while the database does not answer on others, this one is not trusted either.
func (l *Log) listening(ctx context.Context) (conn *pgx.Conn, fresh bool) {
	l.mutex.Lock()
	conn, away := l.listener, l.head.Err != nil
	l.mutex.Unlock()
	if away {
		l.hangUp()
		return nil, false
	}
	if conn != nil && !conn.IsClosed() {
		return conn, false
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, l.pool.Config().ConnConfig)
	if err != nil {
		return nil, false
	}
	_, err = conn.Exec(ctx, "LISTEN "+pgx.Identifier{l.channel()}.Sanitize())
	if err == nil {
		_, err = conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", l.lockNumber(using))
	}
	if err != nil {
		conn.Close(ctx)
		return nil, false
	}
	l.mutex.Lock()
	l.listener = conn
	l.mutex.Unlock()
	return conn, true
}

// hangUp closes that connection.
func (l *Log) hangUp() {
	l.mutex.Lock()
	conn := l.listener
	l.listener = nil
	l.mutex.Unlock()
	if conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		conn.Close(ctx)
	}
}
