package journal

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// A folder may come from a copy that was not finished. What is missing there is told from what a crash leaves behind: a
// generation's sum is written first, then its snapshot, then its log, each whole. Nothing is removed, and no log begun, before
// that is clear.

// again is what to do about a file that is missing or not whole.
const again = "copy it here again from the original folder, or restore the folder from a backup; nothing was changed"

func missing(file string) error {
	return kg.Errorf(kg.Invalid, file, "the file is missing, and the facts are not whole without it: %s", again)
}

// newest is the highest generation that has a log in a folder, 0 for a folder without facts.
func newest(folder string) (uint64, error) {
	logs, err := generationsOf(folder, "facts-", ".log")
	if err != nil {
		return 0, err
	}
	if len(logs) > 0 {
		return slices.Max(logs), nil
	}
	others, err := withoutLog(folder, 0)
	if err == nil && len(others) > 0 {
		err = missing(logFile(folder, slices.Max(others)))
	}
	return 0, err
}

// withoutLog are the generations after one that have a snapshot or a sum.
func withoutLog(folder string, after uint64) ([]uint64, error) {
	snapshots, err := generationsOf(folder, "graph-", ".lacuna")
	if err != nil {
		return nil, err
	}
	sums, err := generationsOf(folder, "sum-", ".log")
	all := slices.Concat(snapshots, sums)
	return slices.DeleteFunc(all, func(n uint64) bool { return n <= after }), err
}

// checkLater refuses a folder whose log ends before a later generation begins, the log of which is missing. Where it
// does not, that generation was never begun.
func (j *Journal) checkLater() error {
	later, err := withoutLog(j.folder, j.generation)
	if err != nil {
		return err
	}
	for _, n := range later {
		begins, err := readSum(j.folder, n)
		if err != nil {
			return fmt.Errorf("%w (if this is the original folder and no copy, %s can be deleted: it was never used)", missing(logFile(j.folder, n)), filepath.Base(snapshotFile(j.folder, n)))
		}
		if begins.version > j.before+j.next {
			return missing(logFile(j.folder, n))
		}
	}
	return nil
}

// prove reads a generation after the first as the next start will.
func prove(folder string, n uint64) error {
	if _, err := readSum(folder, n); err != nil {
		return err
	}
	splits, err := snapshot.Open(snapshotFile(folder, n))
	if err != nil {
		return err
	}
	splits.Train.Close()
	return nil
}
