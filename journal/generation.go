package journal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// Identity tells the graph that a journal's changes begin with: its names and its facts.
type Identity [sha256.Size]byte

// Identify computes it.
func Identify(g *kg.Graph) Identity {
	hash := sha256.New()
	names := g.Hash()
	hash.Write(names[:])
	buffer := make([]byte, 0, 12<<12)
	write := func(t kg.Triple) {
		for _, part := range [...]uint32{uint32(t.Head), uint32(t.Relation), uint32(t.Tail)} {
			buffer = binary.LittleEndian.AppendUint32(buffer, part)
		}
		if len(buffer) == cap(buffer) {
			hash.Write(buffer)
			buffer = buffer[:0]
		}
	}
	for t := range g.Triples() {
		write(t)
	}
	for _, t := range g.Denied() {
		write(t.Inverse())
	}
	hash.Write(buffer)
	return Identity(hash.Sum(nil))
}

// The files of generation n. The snapshot is the graph at the log's beginning; the
// first generation has none, as it begins with the graph that the user gives.
func logFile(folder string, n uint64) string {
	return filepath.Join(folder, fmt.Sprintf("facts-%d.log", n))
}

func snapshotFile(folder string, n uint64) string {
	return filepath.Join(folder, fmt.Sprintf("graph-%d.lacuna", n))
}

func sumFile(folder string, n uint64) string {
	return filepath.Join(folder, fmt.Sprintf("sum-%d.log", n))
}

// beginning is what a generation after the first begins with.
type beginning struct {
	graph  *kg.Graph
	before *sum   // of the generations before
	frames []byte // of the log
}

// startGeneration writes the files of a generation; the first begins with nothing. It exists from the moment at
// which its log has its name: snapshot and sum are complete by then, and the generation
// before stays valid until then, so that a crash at any point leaves one of the two.
func startGeneration(ctx context.Context, folder string, n uint64, base Identity, with beginning) (*os.File, int64, error) {
	if with.before != nil { // the sum first: who finds a snapshot without a log knows by it what that log begins with
		if err := writeSum(folder, n, base, *with.before); err != nil {
			return nil, 0, err
		}
	}
	if with.graph != nil {
		if err := snapshot.Write(ctx, snapshotFile(folder, n), &kg.Splits{Train: with.graph}); err != nil {
			return nil, 0, err
		}
	}
	content := append(encodeHeader(base, n), with.frames...)
	if err := atomicfile.Write(logFile(folder, n), content); err != nil {
		return nil, 0, kg.WriteError(logFile(folder, n), err)
	}
	log, err := os.OpenFile(logFile(folder, n), os.O_RDWR, 0)
	return log, int64(len(content)), err
}

func generationsOf(folder, prefix, suffix string) ([]uint64, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var list []uint64
	for _, entry := range entries {
		middle, ok := strings.CutPrefix(entry.Name(), prefix)
		if middle, ok2 := strings.CutSuffix(middle, suffix); ok && ok2 {
			if n, err := strconv.ParseUint(middle, 10, 64); err == nil && n > 0 {
				list = append(list, n)
			}
		}
	}
	return list, nil
}

// sweep removes the files of the generations before one that is proven whole, and what a crash left of files
// that never got their names. What cannot be removed does no harm.
func sweep(folder string, keep uint64) {
	for _, kind := range []struct {
		prefix, suffix string
		file           func(string, uint64) string
	}{{"facts-", ".log", logFile}, {"graph-", ".lacuna", snapshotFile}, {"sum-", ".log", sumFile}} {
		generations, _ := generationsOf(folder, kind.prefix, kind.suffix)
		for _, n := range generations {
			if n < keep {
				_ = os.Remove(kind.file(folder, n))
			}
		}
		passing, _ := filepath.Glob(filepath.Join(folder, "."+kind.prefix+"*"+kind.suffix+".*.tmp"))
		for _, file := range passing {
			_ = os.Remove(file)
		}
	}
}
