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
	net    Change
	frames uint64 // that it sums up
}

// A sum's file is a header as that of a log and one frame, numbered by how many it sums up.

func writeSum(folder string, n uint64, base Identity, s sum) error {
	frame, err := encodeFrame(s.frames, []Change{s.net})
	if err != nil {
		return err
	}
	file := sumFile(folder, n)
	if err := atomicfile.Write(file, append(encodeHeader(base, n), frame...)); err != nil {
		return kg.WriteError(file, err)
	}
	return nil
}

// readSum gives the sum of a generation. The first has none, nor have those of an earlier version; known tells.
func readSum(folder string, n uint64) (s sum, known bool, err error) {
	file := sumFile(folder, n)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, n == 1, nil
	}
	if err != nil {
		return s, false, err
	}
	if _, _, err := decodeHeader(data); err != nil {
		return s, false, kg.Errorf(kg.Invalid, file, "not the sum of a journal: %v", err)
	}
	number, body, ok := frameAt(data[headerBytes:])
	var changes []Change
	if ok {
		err = json.Unmarshal(body, &changes)
	}
	if !ok || err != nil || len(changes) != 1 {
		return s, false, kg.Errorf(kg.Invalid, file, "damaged: restore the file from a copy")
	}
	return sum{changes[0], number}, true, nil
}

// plus is the sum of it and a log.
func (s sum) plus(log contents) sum {
	added, removed := outcome(append([]Change{s.net}, log.changes...))
	gone := set(removed)
	next := sum{Change{Remove: removed}, s.frames + log.frames}
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
func (j *Journal) sumUp() (sum, bool, error) {
	before, known, err := readSum(j.folder, j.generation)
	if err != nil || !known {
		return before, known, err
	}
	data := make([]byte, j.size)
	if _, err := j.log.ReadAt(data, 0); err != nil {
		return before, false, fmt.Errorf("%s: %w", j.log.Name(), err)
	}
	log, err := decodeFrames(data[headerBytes:])
	return before.plus(log), true, err
}

func set(facts []kg.Fact) map[kg.Fact]bool {
	all := make(map[kg.Fact]bool, len(facts))
	for _, f := range facts {
		all[f] = true
	}
	return all
}
