package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/lacuna-kg/lacuna/kg"
)

// migrations make the tables; those before a format are done where a log has it. A new one is added at the end, and
// has to leave what servers of the format before do meanwhile alone, or lock them out by the head.
var migrations = []string{`
CREATE TABLE lacuna_log (
	one          boolean PRIMARY KEY DEFAULT true CHECK (one), -- there is one row: who locks it has the turn
	format       integer NOT NULL,  -- how many migrations were done
	id           text NOT NULL,     -- of the log, chosen at random
	graph        bytea NOT NULL,    -- identity of the graph that the changes begin with
	version      bigint NOT NULL,   -- the last entry
	chain        bytea NOT NULL,    -- its digest
	folded       bigint NOT NULL,   -- entries up to this one are in lacuna_sum
	folded_chain bytea NOT NULL,
	bytes        bigint NOT NULL    -- of entries and answers since it was compacted
);
CREATE TABLE lacuna_entry (
	version bigint PRIMARY KEY,
	chain   bytea NOT NULL, -- SHA-256 of the digest before, the version (8 bytes, little-endian) and the changes
	changes bytea NOT NULL, -- JSON: [{"add": [{"head": …, "relation": …, "tail": …}], "remove": […]}, …]
	at      timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE lacuna_request (
	key     text PRIMARY KEY,
	version bigint NOT NULL,
	answer  bytea NOT NULL, -- JSON
	at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX lacuna_request_at ON lacuna_request (at);
CREATE TABLE lacuna_sum (
	version bigint, -- the last entry that is in it
	part    integer,
	changes bytea NOT NULL, -- as in lacuna_entry
	PRIMARY KEY (version, part)
);
`}

// prepare makes the tables, or brings them to the present format, and says what of the database's settings endangers facts.
func (l *Log) prepare(ctx context.Context, options Options) (remarks []string, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var there bool
	var fsync, commit string
	err = l.pool.QueryRow(ctx, "SELECT to_regclass('lacuna_log') IS NOT NULL, current_setting('fsync'), current_setting('synchronous_commit')").Scan(&there, &fsync, &commit)
	if err != nil {
		return nil, err
	}
	for setting, value := range map[string]string{"fsync": fsync, "synchronous_commit": commit} {
		if value == "off" {
			remarks = append(remarks, fmt.Sprintf("%s: the database has %s off, and may lose facts that were confirmed when it crashes", l.name, setting))
		}
	}
	if !there && options.ReadOnly {
		return nil, kg.Errorf(kg.NotFound, l.name, "no log of facts is there yet, and a server that is read-only does not make one")
	}
	if !there {
		if err := l.inTransaction(ctx, l.create); err != nil {
			return nil, err
		}
	}
	return remarks, l.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error { return l.bringUp(ctx, tx, options) })
}

// stepwise are transactions whose statements each see what was committed before they began, so that those after a lock
// see all that its last holder did, whatever the database has as its default.
var stepwise = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

func (l *Log) inTransaction(ctx context.Context, do func(context.Context, pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, l.pool, stepwise, func(tx pgx.Tx) error { return do(ctx, tx) })
}

// create makes the tables unless another server is quicker. That is asked of pg_class: to_regclass would repeat from the
// connection's memory what it said in prepare, which nothing corrects within a transaction that only has waited for a lock.
func (l *Log) create(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('lacuna_log ' || current_schema()))"); err != nil {
		return err
	}
	var there bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'lacuna_log' AND pg_table_is_visible(oid))").Scan(&there); err != nil || there {
		return err
	}
	for _, m := range migrations {
		if _, err := tx.Exec(ctx, m); err != nil {
			return err
		}
	}
	id := rand.Text()
	zero := sha256.Sum256([]byte("lacuna log " + id)) // so that entries of two logs never look alike
	_, err := tx.Exec(ctx, "INSERT INTO lacuna_log (format, id, graph, version, chain, folded, folded_chain, bytes) VALUES ($1, $2, $3, 0, $4, 0, $4, 0)",
		len(migrations), id, l.identity[:], zero[:])
	return err
}

// bringUp does the migrations that a log has not had, and takes its id.
func (l *Log) bringUp(ctx context.Context, tx pgx.Tx, options Options) error {
	var format int
	if err := tx.QueryRow(ctx, "SELECT format, id FROM lacuna_log").Scan(&format, &l.id); err != nil {
		return err
	}
	switch {
	case format > len(migrations):
		return kg.Errorf(kg.Invalid, l.name, "the log is of a newer Lacuna (format %d, this one knows %d): use that", format, len(migrations))
	case format == len(migrations):
		return nil
	case options.ReadOnly:
		return kg.Errorf(kg.Invalid, l.name, "the log is of an older Lacuna (format %d), and a server that is read-only does not change it", format)
	}
	if err := tx.QueryRow(ctx, "SELECT format FROM lacuna_log FOR UPDATE").Scan(&format); err != nil {
		return err
	}
	for ; format < len(migrations); format++ {
		if _, err := tx.Exec(ctx, migrations[format]); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "UPDATE lacuna_log SET format = $1", format)
	return err
}

// lockNumber is that of an advisory lock of the log.
func (l *Log) lockNumber(purpose string) int64 {
	sum := sha256.Sum256([]byte(l.id + " " + purpose))
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

// The purposes of advisory locks.
const (
	using      = "using"      // shared by all servers of the log
	compacting = "compacting" // of the one that compacts
)

// channel is where entries are made known.
func (l *Log) channel() string { return "lacuna_" + l.id }
