package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// head is the row of the log.
type head struct {
	at, folded journal.Position
	bytes      int64
	graph      []byte
}

const headColumns = "version, chain, folded, folded_chain, bytes, graph"

// row is a line of an answer.
type row interface{ Scan(into ...any) error }

func scanHead(r row, more ...any) (h head, err error) {
	var chain, folded []byte
	err = r.Scan(append([]any{&h.at.Version, &chain, &h.folded.Version, &folded, &h.bytes, &h.graph}, more...)...)
	copy(h.at.Chain[:], chain)
	copy(h.folded.Chain[:], folded)
	return h, err
}

// link is the digest of an entry and all before it.
func link(before journal.Position, changes []byte) journal.Position {
	hash := sha256.New()
	hash.Write(before.Chain[:])
	var version [8]byte
	binary.LittleEndian.PutUint64(version[:], before.Version+1)
	hash.Write(version[:])
	hash.Write(changes)
	return journal.Position{Version: before.Version + 1, Chain: [sha256.Size]byte(hash.Sum(nil))}
}

// stored is an entry as it lies in the database.
type stored struct {
	version uint64
	changes []byte
}

// checked decodes entries that lead on from a position. Digests are computed, not read: an entry that differs from the
// one that the server has seen shows at the next, or at the head.
func checked(at journal.Position, list []stored) ([]journal.Entry, error) {
	entries := make([]journal.Entry, 0, len(list))
	for _, s := range list {
		if s.version != at.Version+1 {
			return nil, fmt.Errorf("entry %d follows entry %d: %w", s.version, at.Version, journal.ErrLost)
		}
		at = link(at, s.changes)
		e := journal.Entry{At: at}
		if err := json.Unmarshal(s.changes, &e.Changes); err != nil {
			return nil, kg.Errorf(kg.Invalid, "", "entry %d of the log: %v", s.version, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// leadsOn says whether the log of a head goes on from a position.
func (l *Log) leadsOn(h head, at journal.Position) error {
	switch {
	case !bytes.Equal(h.graph, l.identity[:]):
		return kg.Errorf(kg.Invalid, l.name, "the facts are made on another graph now: start this server with that graph")
	case h.at.Version < at.Version, h.at.Version == at.Version && h.at != at:
		return journal.ErrLost
	case at.Version < h.folded.Version:
		return journal.ErrFolded
	}
	return nil
}

// Read gives entries after a position.
func (l *Log) Read(ctx context.Context, at journal.Position) ([]journal.Entry, error) {
	return again(func() ([]journal.Entry, error) { return l.read(ctx, at) })
}

// read asks by one statement, which sees head and entries at one moment.
func (l *Log) read(ctx context.Context, at journal.Position) ([]journal.Entry, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	rows, err := l.pool.Query(ctx, "SELECT l.version, l.chain, l.folded, l.folded_chain, l.bytes, l.graph, e.version, e.chain, e.changes"+
		" FROM lacuna_log l LEFT JOIN lacuna_entry e ON e.version > $1 ORDER BY e.version LIMIT $2", at.Version, readAtOnce)
	if err != nil {
		return nil, l.missed(err)
	}
	var h head
	var list []stored
	var last []byte // the digest that the database has of the last one
	for rows.Next() {
		var version *uint64
		var s stored
		if h, err = scanHead(rows, &version, &last, &s.changes); err != nil {
			rows.Close()
			return nil, l.missed(err)
		}
		if version != nil {
			s.version = *version
			list = append(list, s)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, l.missed(err)
	}
	if h.graph == nil { // while a backup is put back
		return nil, l.missed(pgx.ErrNoRows)
	}
	l.seen(h)
	if err := l.leadsOn(h, at); err != nil {
		return nil, err
	}
	entries, err := l.continued(at, list, last)
	if n := len(entries); err == nil && n > 0 {
		l.gave(entries[n-1].At)
	}
	return entries, err
}

// continued decodes entries after a position and holds the last to the digest that the database has of it.
func (l *Log) continued(at journal.Position, list []stored, last []byte) ([]journal.Entry, error) {
	entries, err := checked(at, list)
	if n := len(entries); err == nil && n > 0 && !bytes.Equal(entries[n-1].At.Chain[:], last) {
		return nil, journal.ErrLost
	}
	return entries, err
}

// whole is everything that a log says.
type whole struct {
	sum, changes []journal.Change
	folded       uint64
	at           journal.Position
}

// readAll reads the log as it is at one moment.
func (l *Log) readAll(ctx context.Context) (w whole, err error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, l.pool, options, func(tx pgx.Tx) error {
		h, err := scanHead(tx.QueryRow(ctx, "SELECT "+headColumns+" FROM lacuna_log"))
		if err != nil {
			return err
		}
		l.seen(h)
		if err := l.leadsOn(h, h.at); err != nil {
			return err
		}
		w, err = l.readFrom(ctx, tx, h, h.at.Version)
		if err == nil && w.at != h.at {
			err = kg.Errorf(kg.Invalid, l.name, "the log is damaged: its entries do not lead to its head; restore the database from a copy")
		}
		return err
	})
	return w, l.missed(err)
}

// readFrom reads what the log says up to an entry.
func (l *Log) readFrom(ctx context.Context, tx pgx.Tx, h head, last uint64) (w whole, err error) {
	w.at, w.folded = h.folded, h.folded.Version
	parts, err := tx.Query(ctx, "SELECT changes FROM lacuna_sum WHERE version = $1 ORDER BY part", h.folded.Version)
	if err != nil {
		return w, err
	}
	var body []byte
	there := false
	if _, err := pgx.ForEachRow(parts, []any{&body}, func() error {
		var some []journal.Change
		if err := json.Unmarshal(body, &some); err != nil {
			return err
		}
		w.sum, there = append(w.sum, some...), true
		return nil
	}); err != nil {
		return w, err
	}
	if !there && w.folded > 0 {
		return w, kg.Errorf(kg.Invalid, l.name, "the log is damaged: what entries up to %d came to is missing; restore the database from a copy", w.folded)
	}
	rows, err := tx.Query(ctx, "SELECT version, changes FROM lacuna_entry WHERE version > $1 AND version <= $2 ORDER BY version", h.folded.Version, last)
	if err != nil {
		return w, err
	}
	var s stored
	_, err = pgx.ForEachRow(rows, []any{&s.version, &s.changes}, func() error {
		entries, err := checked(w.at, []stored{s})
		if err != nil {
			return kg.Errorf(kg.Invalid, l.name, "the log is damaged (%v): restore the database from a copy", err)
		}
		w.at, w.changes = entries[0].At, append(w.changes, entries[0].Changes...)
		return nil
	})
	return w, err
}

// Rebuild makes the graph from the base and the whole log.
func (l *Log) Rebuild(ctx context.Context) (*kg.Graph, journal.Position, error) {
	w, err := again(func() (whole, error) { return l.readAll(ctx) })
	if err != nil {
		return nil, w.at, err
	}
	base := l.base.Share()
	g, err := journal.Made(ctx, base, append(w.sum, w.changes...))
	if g != base {
		base.Close()
	}
	return g, w.at, err
}
