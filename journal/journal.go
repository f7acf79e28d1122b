// Package journal keeps changes of facts in a folder, so that they outlive the
// server that took them: a change is on the disk when Append returns. What a server needs of
// such a log, also of one that many share, says Log (log.go).
//
// A folder holds one generation: a log of changes (frame.go) and, from the second
// generation on, a snapshot of the graph as it was when the log began, and what the
// changes before came to (sum.go). Compact begins the next generation (generation.go). Open reads what is there (replay.go),
// refuses what is not whole (whole.go), sees whether it was restored from a copy (restored.go)
// and locks the folder, so that one process writes to it.
package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
)

// Change is what one request changed. Removals come first: a fact in both lists is stated afterwards.
type Change struct {
	Add    []kg.Fact `json:"add,omitempty"`
	Remove []kg.Fact `json:"remove,omitempty"`
}

// Journal is an open folder. It may be used concurrently.
type Journal struct {
	folder string
	base   Identity
	lock   *folderLock
	turns  sync.Mutex // held by who has the turn to append

	mutex      sync.Mutex
	generation uint64
	log        *os.File
	size       int64  // of the log: everything below is on the disk and sound
	next       uint64 // number of the next frame
	before     uint64 // what makes a version of next
	broken     error  // after a failure that left the log in doubt
}

// Append makes changes last, in their order: it returns when they are on the disk.
// Changes of one call last together or not at all.
func (j *Journal) Append(changes []Change) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.broken != nil {
		return fmt.Errorf("%s: the journal takes no more facts: %w", j.folder, j.broken)
	}
	frame, err := encodeFrame(j.next, changes)
	if err != nil {
		return err
	}
	return j.append(frame, j.before+j.next+1)
}

// append makes a frame last, after which the log has a version.
func (j *Journal) append(frame []byte, version uint64) error {
	j.announce()
	if _, err := j.log.WriteAt(frame, j.size); err != nil {
		return j.undo(err)
	}
	// After a failed fsync nobody knows what is on the disk, and a second one may report success: stop here.
	if err := j.log.Sync(); err != nil {
		j.broken = err
		return fmt.Errorf("%s: facts not written: %w", j.folder, err)
	}
	j.size += int64(len(frame))
	j.next++
	j.before = version - j.next
	j.writeNote()
	return nil
}

// undo takes half a frame away again, after a full disk for example.
func (j *Journal) undo(cause error) error {
	if err := j.cutTail(); err != nil {
		j.broken = errors.Join(cause, err)
	}
	return fmt.Errorf("%s: facts not written: %w", j.folder, cause)
}

// Bytes is the length of the log, which Compact makes short again.
func (j *Journal) Bytes() int64 {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.size
}

// Count is how many times changes were appended, ever, and more after a restore: it numbers the states of the graph, and never goes back.
func (j *Journal) Count() uint64 {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.before + j.next
}

// Compact puts a snapshot of the graph in place of the changes that led to it. The
// caller sees to it that the graph is the outcome of all changes so far.
func (j *Journal) Compact(ctx context.Context, g *kg.Graph) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.broken != nil {
		return fmt.Errorf("%s: the journal takes no more facts: %w", j.folder, j.broken)
	}
	before, err := j.sumUp()
	if err != nil {
		return err
	}
	log, size, err := startGeneration(ctx, j.folder, j.generation+1, j.base, beginning{graph: g, before: &before})
	if err != nil {
		return err
	}
	if err := prove(j.folder, j.generation+1); err != nil {
		j.broken = errors.Join(err, log.Close()) // which generation the next start takes is in doubt
		return err
	}
	j.log.Close()
	j.before += j.next
	j.log, j.size, j.next, j.generation = log, size, 0, j.generation+1
	j.writeNote()
	sweep(j.folder, j.generation)
	return nil
}

// Close ends the use of the folder.
func (j *Journal) Close() error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.broken == nil {
		j.broken = errors.New("it is closed")
	}
	return errors.Join(j.log.Close(), j.lock.Close())
}
