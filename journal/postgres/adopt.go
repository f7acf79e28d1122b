package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// adopt makes the log that of the graph at hand, where it began with another that had changed since. While a server
// uses it nobody may, as that one's graph would be another's from then on.
func (l *Log) adopt(ctx context.Context, graph *kg.Graph, opened *journal.Opened, options Options) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	h, err := scanHead(l.pool.QueryRow(ctx, "SELECT "+headColumns+" FROM lacuna_log"))
	if err != nil || slices.Equal(h.graph, l.identity[:]) {
		return err
	}
	const other = "these facts were added to another graph, or the graph has changed since"
	if options.ReadOnly {
		return kg.Errorf(kg.Invalid, l.name, other+": a server that is read-only needs the graph that the others have")
	}
	return l.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var alone bool
		if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", l.lockNumber(using)).Scan(&alone); err != nil {
			return err
		}
		if !alone {
			return kg.Errorf(kg.Invalid, l.name, other+", and other servers use them with the graph as it was: stop those first, or start with their graph")
		}
		h, err := scanHead(tx.QueryRow(ctx, "SELECT "+headColumns+" FROM lacuna_log FOR UPDATE"))
		if err != nil {
			return err
		}
		w, err := l.readFrom(ctx, tx, h, h.at.Version)
		if err != nil {
			return err
		}
		all := append(w.sum, w.changes...)
		if !journal.Concern(all, graph) {
			return kg.Errorf(kg.Invalid, l.name, "these facts were added to another graph: use another database or schema (?search_path=…), or the graph they belong to")
		}
		merged := journal.ConflictsWith(all, graph)
		opened.Merged = &merged
		return l.take(ctx, tx, h)
	})
}

// take notes the graph as the log's, by an entry: the graph is another than before, which counts as a change.
func (l *Log) take(ctx context.Context, tx pgx.Tx, h head) error {
	t := &turn{log: l, tx: tx, head: h}
	body := []byte("[]")
	if _, err := t.write(ctx, link(h.at, body), body, nil); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "UPDATE lacuna_log SET graph = $1", l.identity[:])
	return err
}
