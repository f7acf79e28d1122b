package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// turn is a transaction that has the head of the log locked.
type turn struct {
	log     *Log
	tx      pgx.Tx
	head    head
	missed  []journal.Entry
	answers map[string][]byte
	over    bool
}

// Begin locks the head, and reads what stands in the log after a position and under keys.
func (l *Log) Begin(ctx context.Context, at journal.Position, keys []string) (journal.Turn, error) {
	t, err := again(func() (*turn, error) { return l.begin(ctx, at, keys) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (l *Log) begin(ctx context.Context, at journal.Position, keys []string) (*turn, error) {
	tx, err := l.pool.BeginTx(ctx, stepwise)
	if err != nil {
		return nil, l.missed(err)
	}
	t := &turn{log: l, tx: tx, answers: map[string][]byte{}}
	if err := t.look(ctx, at, keys); err != nil {
		t.End()
		return nil, l.missed(err)
	}
	return t, nil
}

// look asks for everything in one round trip. Each statement sees what was committed before it began, so that those after the lock see all.
func (t *turn) look(ctx context.Context, at journal.Position, keys []string) error {
	batch := &pgx.Batch{}
	batch.Queue("SELECT set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)", lockTime, t.log.held)
	batch.Queue("SELECT " + headColumns + " FROM lacuna_log FOR UPDATE")
	batch.Queue("SELECT version, changes, chain FROM lacuna_entry WHERE version > $1 ORDER BY version", at.Version)
	batch.Queue("SELECT key, answer FROM lacuna_request WHERE key = ANY($1)", keys)
	answer := t.tx.SendBatch(ctx, batch)
	defer answer.Close()
	if _, err := answer.Exec(); err != nil {
		return err
	}
	var err error
	if t.head, err = scanHead(answer.QueryRow()); err != nil {
		return err
	}
	t.log.seen(t.head)
	if err := t.log.leadsOn(t.head, at); err != nil {
		return err
	}
	if err := t.lookBack(answer, at); err != nil {
		return err
	}
	rows, err := answer.Query()
	if err != nil {
		return err
	}
	var key string
	var told []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &told}, func() error {
		t.answers[key] = append([]byte(nil), told...)
		return nil
	})
	return err
}

// lookBack reads the entries that the caller has missed, which lead to the head.
func (t *turn) lookBack(answer pgx.BatchResults, at journal.Position) error {
	rows, err := answer.Query()
	if err != nil {
		return err
	}
	var list []stored
	var s stored
	var chain []byte
	if _, err = pgx.ForEachRow(rows, []any{&s.version, &s.changes, &chain}, func() error {
		list = append(list, stored{s.version, append([]byte(nil), s.changes...)})
		return nil
	}); err != nil {
		return err
	}
	if t.missed, err = t.log.continued(at, list, chain); err != nil {
		return err
	}
	if n := len(t.missed); n > 0 && t.missed[n-1].At != t.head.at || n == 0 && t.head.at != at {
		return journal.ErrLost
	}
	return nil
}

func (t *turn) Missed() []journal.Entry { return t.missed }

func (t *turn) Answered(key string) ([]byte, bool) {
	answer, ok := t.answers[key]
	return answer, ok
}

// Append writes the entry and what was answered, moves the head, and commits.
func (t *turn) Append(ctx context.Context, changes []journal.Change, receipts []journal.Receipt) (at journal.Position, err error) {
	defer t.End()
	body, err := json.Marshal(changes)
	if err != nil {
		return at, err
	}
	if len(body) > maxEntry {
		return at, kg.Errorf(kg.TooLarge, t.log.name, "changes of %d MB at once, the limit is %d MB: add them to the graph's own file", len(body)>>20, maxEntry>>20)
	}
	at = link(t.head.at, body)
	bytes, err := t.write(ctx, at, body, receipts)
	if err != nil {
		return journal.Position{}, t.log.missed(err)
	}
	t.over = true
	if err := t.tx.Commit(ctx); err != nil {
		return journal.Position{}, t.log.notCommitted(err)
	}
	t.head.at, t.head.bytes = at, t.head.bytes+bytes
	t.log.seen(t.head)
	t.log.gave(at)
	return at, nil
}

// notCommitted is the error of a commit. Only where the database says that it took everything back is that certain.
func (l *Log) notCommitted(err error) error {
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return l.missed(err)
	}
	l.missed(err)
	return &journal.Unavailable{Err: shortest(err), InDoubt: true}
}

// write puts the rows of an entry into the transaction, in one round trip, and gives how many bytes they have.
func (t *turn) write(ctx context.Context, at journal.Position, body []byte, receipts []journal.Receipt) (bytes int64, err error) {
	keys, answers := make([]string, len(receipts)), make([][]byte, len(receipts))
	bytes = int64(len(body))
	for i, r := range receipts {
		keys[i], answers[i] = r.Key, r.Answer
		bytes += int64(len(r.Key) + len(r.Answer))
	}
	batch := &pgx.Batch{}
	batch.Queue("INSERT INTO lacuna_entry (version, chain, changes) VALUES ($1, $2, $3)", at.Version, at.Chain[:sha256.Size], body)
	batch.Queue("INSERT INTO lacuna_request (key, version, answer) SELECT key, $1, answer FROM unnest($2::text[], $3::bytea[]) AS r (key, answer)", at.Version, keys, answers)
	batch.Queue("UPDATE lacuna_log SET version = $1, chain = $2, bytes = bytes + $3", at.Version, at.Chain[:sha256.Size], bytes)
	batch.Queue("SELECT pg_notify($1, $2)", t.log.channel(), strconv.FormatUint(at.Version, 10))
	return bytes, t.tx.SendBatch(ctx, batch).Close()
}

// End takes back what was not committed and lets others go on.
func (t *turn) End() {
	if t.over {
		return
	}
	t.over = true
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = t.tx.Rollback(ctx) // where that fails, the connection is closed, and the database takes it back by itself
}
