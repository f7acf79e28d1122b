package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
)

// sum is what the generations before a log came to. Their snapshot holds it, too, but not apart from the
// graph that they began with: with the sum they can be made on another.
type sum struct {
	net     Change
	version uint64 // after them
}

// A sum's file is a header as that of a log and one frame, whose number is the version after what it sums up.

func writeSum(folder string, n uint64, base Identity, s sum) error {
	frame, err := encodeFrame(s.version, []Change{s.net})
	if err != nil {
		return err
	}
	file := sumFile(folder, n)
	if err := atomicfile.Write(file, append(encodeHeader(base, n), frame...)); err != nil {
		return kg.WriteError(file, err)
	}
	return nil
}

// readSum gives the sum of a generation. The first has none.
func readSum(folder string, n uint64) (s sum, err error) {
	if n == 1 {
		return s, nil
	}
	file := sumFile(folder, n)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, missing(file)
	}
	if err != nil {
		return s, err
	}
	if _, generation, err := decodeHeader(data); err != nil || generation != n {
		return s, kg.Errorf(kg.Invalid, file, "not the sum of generation %d of a journal: %s", n, again)
	}
	number, body, ok := frameAt(data[headerBytes:])
	var changes []Change
	if ok {
		err = json.Unmarshal(body, &changes)
	}
	if !ok || err != nil || len(changes) != 1 || len(data) != headerBytes+preambleBytes+len(body) {
		return s, kg.Errorf(kg.Invalid, file, "damaged, or not copied to its end: %s", again)
	}
	return sum{changes[0], number}, nil
}

// plus is the sum of it and a log.
func (s sum) plus(log contents) sum {
	added, removed := outcome(append([]Change{s.net}, log.changes...))
	gone := set(removed)
	next := sum{Change{Remove: removed}, log.version(s.version)}
	seen := map[kg.Fact]bool{}
	for _, f := range added {
		if !gone[f] && !seen[f] {
			seen[f] = true
			next.net.Add = append(next.net.Add, f)
		}
	}
	return next
}

// sumUp adds the log as it is on the disk to the sum before it.
func (j *Journal) sumUp() (sum, error) {
	before, err := readSum(j.folder, j.generation)
	if err != nil {
		return before, err
	}
	data := make([]byte, j.size)
	if _, err := j.log.ReadAt(data, 0); err != nil {
		return before, fmt.Errorf("%s: %w", j.log.Name(), err)
	}
	log, err := decodeFrames(data[headerBytes:])
	return before.plus(log), err
}

func set(facts []kg.Fact) map[kg.Fact]bool {
	all := make(map[kg.Fact]bool, len(facts))
	for _, f := range facts {
		all[f] = true
	}
	return all
}
