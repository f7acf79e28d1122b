package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// Compact folds all entries but the newest into one change, and forgets old keys, unless another server is at it. The graph is
// not needed: every server has the one that the log begins with. Others append meanwhile: the head is locked only in the end.
func (l *Log) Compact(ctx context.Context, _ *kg.Graph) error {
	err := l.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", l.lockNumber(compacting)).Scan(&mine); err != nil || !mine {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM lacuna_request WHERE at < now() - $1::interval", keyLife); err != nil {
			return err
		}
		h, err := scanHead(tx.QueryRow(ctx, "SELECT "+headColumns+" FROM lacuna_log"))
		if err != nil {
			return err
		}
		if last := h.at.Version - min(h.at.Version, keptEntries); last > h.folded.Version {
			return l.fold(ctx, tx, h, last)
		}
		return l.putHead(ctx, tx, h.folded)
	})
	return l.missed(err)
}

// fold puts one change in place of all entries up to one.
func (l *Log) fold(ctx context.Context, tx pgx.Tx, h head, last uint64) error {
	w, err := l.readFrom(ctx, tx, h, last)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	sum := parts(journal.Fold(append(w.sum, w.changes...)))
	if len(sum) == 0 {
		sum = []journal.Change{{}} // so that one which is missing shows
	}
	for i, part := range sum {
		body, err := json.Marshal([]journal.Change{part})
		if err != nil {
			return err
		}
		batch.Queue("INSERT INTO lacuna_sum (version, part, changes) VALUES ($1, $2, $3)", last, i, body)
	}
	batch.Queue("DELETE FROM lacuna_sum WHERE version <> $1", last)
	batch.Queue("DELETE FROM lacuna_entry WHERE version <= $1", last)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	return l.putHead(ctx, tx, w.at)
}

// putHead notes up to which entry the log is folded, and how long it is now.
func (l *Log) putHead(ctx context.Context, tx pgx.Tx, folded journal.Position) error {
	h, err := scanHead(tx.QueryRow(ctx, "UPDATE lacuna_log SET folded = $1, folded_chain = $2,"+
		" bytes = (SELECT coalesce(sum(length(changes)), 0) FROM lacuna_entry WHERE version > $1) RETURNING "+headColumns, folded.Version, folded.Chain[:]))
	if err == nil {
		l.seen(h)
	}
	return err
}

// partFacts is how many facts a row of the sum has.
const partFacts = 5000

// parts are changes cut into smaller ones, to be made in their order.
func parts(changes []journal.Change) (list []journal.Change) {
	for _, c := range changes {
		for from := 0; from < len(c.Remove); from += partFacts {
			list = append(list, journal.Change{Remove: c.Remove[from:min(from+partFacts, len(c.Remove))]})
		}
		for from := 0; from < len(c.Add); from += partFacts {
			list = append(list, journal.Change{Add: c.Add[from:min(from+partFacts, len(c.Add))]})
		}
	}
	return list
}
