package journal

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// Opened is what was in a folder, or in another log.
type Opened struct {
	Name   string // of the folder, for what is said about it
	Log    Log
	Shared Shared // nil where nobody else appends to the log
	// Graph is the base with all changes: the base itself where there are none. The
	// caller closes it, and the base where that is another.
	Graph *kg.Graph
	// At is the entry that Graph stands at.
	At Position
	// Changes are those since the last compaction, in their order.
	Changes []Change
	// Compacted tells that there were changes before them, which no list holds.
	Compacted bool
	// Torn is the number of bytes at the end of the log that a crash left of a change
	// that was never confirmed. They have been dropped.
	Torn int64
	// Remarks are what the user should know of the log.
	Remarks []string
	// Merged is set where the graph is not the one that the changes were made on, and they were made on it now.
	Merged *Conflicts
}

// Open opens a folder for a graph, creates it where it does not exist, and gives the
// graph with the changes in it. Where the graph has changed since, they are made on it as it is now, unless they do not concern it.
// A folder that is in use or was damaged is refused.
func Open(ctx context.Context, folder string, graph *kg.Graph) (opened *Opened, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, kg.Errorf(kg.Invalid, folder, "not a folder for facts: %v", err)
	}
	j := &Journal{folder: folder, base: Identify(graph)}
	if j.lock, err = lockFolder(folder); err != nil {
		return nil, err
	}
	opened = &Opened{Name: folder, Log: j, Graph: graph}
	if err := opened.read(ctx, j); err != nil {
		j.lock.Close()
		if j.log != nil {
			j.log.Close()
		}
		return nil, err
	}
	j.writeNote()
	sweep(folder, j.generation)
	opened.At.Version = j.Count()
	return opened, nil
}

func (o *Opened) read(ctx context.Context, j *Journal) (err error) {
	if j.generation, err = newest(j.folder); err != nil {
		return err
	}
	if j.generation == 0 {
		j.generation = 1
		j.log, j.size, err = startGeneration(ctx, j.folder, 1, j.base, beginning{})
		return err
	}
	found, err := o.readLog(j)
	if err != nil {
		return err
	}
	begun, err := o.begun(j)
	if err != nil {
		return err
	}
	// All of it is whole: only now anything is changed.
	if err := o.settle(ctx, j, found); err != nil {
		if o.Compacted {
			begun.Close()
		}
		return err
	}
	if o.Merged != nil && j.generation > 1 {
		begun.Close()
		if begun, err = o.begun(j); err != nil {
			return err
		}
	}
	o.Graph = begun
	if err := o.replay(ctx); err != nil || o.Merged == nil {
		return err
	}
	return j.Append([]Change{}) // the graph is another than before, which counts as a change
}

// begun is the graph that the log of the generation begins with.
func (o *Opened) begun(j *Journal) (*kg.Graph, error) {
	if j.generation == 1 {
		return o.Graph, nil
	}
	o.Compacted = true
	file := snapshotFile(j.folder, j.generation)
	splits, err := snapshot.Open(file)
	if kg.KindOf(err) == kg.NotFound {
		return nil, missing(file)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, again)
	}
	return splits.Train, nil
}

// foundLog is a log as it was read, and what came before it.
type foundLog struct {
	base     Identity
	before   sum
	frames   []byte // that are sound
	restored bool
}

// readLog checks the log of the generation, and opens it.
func (o *Opened) readLog(j *Journal) (found foundLog, err error) {
	file := logFile(j.folder, j.generation)
	if found.before, err = readSum(j.folder, j.generation); err != nil {
		return found, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return found, err
	}
	base, generation, err := decodeHeader(data)
	switch {
	case err != nil:
		return found, kg.Errorf(kg.Invalid, file, "not a journal of facts, or not copied to its end: %v: %s", err, again)
	case generation != j.generation:
		return found, kg.Errorf(kg.Invalid, file, "it holds generation %d, expected %d by its name", generation, j.generation)
	}
	read, err := decodeFrames(data[headerBytes:])
	if err != nil {
		return found, kg.Errorf(kg.Invalid, file, "%v", err)
	}
	o.Changes, j.next, j.size = read.changes, read.frames, int64(headerBytes+read.sound)
	j.before = read.version(found.before.version) - read.frames
	o.Torn = int64(len(data)) - j.size
	if err := j.checkLater(); err != nil {
		return found, err
	}
	if j.log, err = os.OpenFile(file, os.O_RDWR, 0); err != nil {
		return found, err
	}
	found.base, found.frames = base, data[headerBytes:j.size]
	found.restored, err = j.restored(o.Torn > 0)
	return found, err
}

// settle makes a log ready for more: without a torn tail, for the graph at hand, and with versions of its own.
func (o *Opened) settle(ctx context.Context, j *Journal, found foundLog) (err error) {
	switch {
	case found.base != j.base:
		err = o.adopt(ctx, j, found.before, found.frames, o.Changes)
	case o.Torn > 0:
		err = j.dropTail(found.restored)
	}
	if err == nil && found.restored {
		err = j.goOn(time.Now())
	}
	return err
}

// adopt makes a log that of the graph at hand: under another header and, where there were generations before it,
// after a snapshot of this graph with what they came to.
func (o *Opened) adopt(ctx context.Context, j *Journal, before sum, frames []byte, changes []Change) (err error) {
	all := append([]Change{before.net}, changes...)
	if !Concern(all, o.Graph) {
		return kg.Errorf(kg.Invalid, logFile(j.folder, j.generation), "these facts were added to another graph: start a new folder, or use the graph they belong to")
	}
	merged := ConflictsWith(all, o.Graph)
	o.Merged = &merged
	j.log.Close()
	if j.generation == 1 {
		j.log, j.size, err = startGeneration(ctx, j.folder, 1, j.base, beginning{frames: frames})
		return err
	}
	graph, err := Made(ctx, o.Graph, []Change{before.net})
	if err != nil {
		return fmt.Errorf("%s: %w", j.folder, err)
	}
	if graph != o.Graph {
		defer graph.Close()
	}
	j.log, j.size, err = startGeneration(ctx, j.folder, j.generation+1, j.base, beginning{graph, &before, frames})
	if err != nil {
		return err
	}
	j.generation++
	return nil
}

// dropTail leaves the note as it is where the log was restored: that is seen from it until versions have gone on (goOn).
func (j *Journal) dropTail(restored bool) error {
	cut := j.cutTail
	if restored {
		cut = func() error { return j.log.Truncate(j.size) }
	}
	if err := cut(); err != nil {
		return fmt.Errorf("%s: the torn tail cannot be dropped: %w", j.log.Name(), err)
	}
	return j.log.Sync()
}

// replay makes all changes of the log.
func (o *Opened) replay(ctx context.Context) error {
	graph, err := Made(ctx, o.Graph, o.Changes)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	if o.Compacted && graph != o.Graph {
		o.Graph.Close() // the names that the new graph shares with it stay
	}
	o.Graph = graph
	return nil
}

// Made is a graph with changes made in two steps, however many there were: first everything
// that was ever added, so that every name exists and in the order of its first
// appearance, then the removal of what was not stated in the end. Without changes it is the graph itself.
func Made(ctx context.Context, g *kg.Graph, changes []Change) (*kg.Graph, error) {
	added, removed := outcome(changes)
	if len(added)+len(removed) == 0 {
		return g, nil
	}
	if g.Annotations().Len() > 0 || speak(changes) {
		return madeInTurn(ctx, g, changes)
	}
	grown, _, err := g.ChangeExactly(ctx, added, nil) // which the journal has by identifiers
	if err != nil || len(removed) == 0 {
		return grown, err
	}
	defer grown.Close()
	final, _, err := grown.ChangeExactly(ctx, restated(added, removed), removed)
	return final, err
}

// restated are facts that stay, though they were added beside what contradicts them, which takes them back.
func restated(added, removed []kg.Fact) (again []kg.Fact) {
	gone := set(removed)
	for _, f := range added {
		if contrary := f.Contrary(); gone[contrary] && !gone[f] {
			again = append(again, f)
		}
	}
	return again
}

// outcome is every fact that was ever added, and of all facts named those that the last change of them removed.
func outcome(changes []Change) (added, removed []kg.Fact) {
	stated := map[kg.Fact]bool{}
	var order []kg.Fact // of first appearance
	note := func(facts []kg.Fact, state bool) {
		for _, f := range facts {
			if _, seen := stated[f]; !seen {
				order = append(order, f)
			}
			stated[f] = state
			contrary := f.Contrary()
			if _, seen := stated[contrary]; state && (seen || f.IsDenial()) { // the one takes the other back
				if !seen {
					order = append(order, contrary)
				}
				stated[contrary] = false
			}
		}
	}
	for _, c := range changes {
		note(c.Remove, false)
		note(c.Add, true)
		added = append(added, c.Add...)
	}
	for _, f := range order {
		if !stated[f] {
			removed = append(removed, f)
		}
	}
	return added, removed
}
