package sample

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
)

// GraphFile is the name of the snapshot in a folder of queries.
const GraphFile = "graph.lacuna"

// WriteFolder draws the queries that the options ask for into a new folder: the
// graph as a snapshot, and a file of queries for each split. The folder appears
// under its name when all of it is written, or not at all. The same graph and
// options give the same bytes, whatever the number of threads.
func WriteFolder(ctx context.Context, s *kg.Splits, dir string, o Options) ([]Outcome, error) {
	if _, err := o.tasks(s); err != nil {
		return nil, err
	}
	passing, err := createFolderBeside(dir)
	if err != nil {
		return nil, err
	}
	outcomes, err := fillFolder(ctx, s, passing, o)
	if err == nil {
		err = moveInPlace(passing, filepath.Clean(dir))
	}
	if err != nil {
		os.RemoveAll(passing)
		return outcomes, err
	}
	return outcomes, nil
}

// createFolderBeside makes a folder next to dir under a passing name, and dir's
// parents. It refuses a dir that holds anything: a set is never mixed with another.
func createFolderBeside(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case len(entries) > 0:
		return "", kg.Errorf(kg.Invalid, dir, "the folder is not empty; name a new one or remove it first")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", kg.Errorf(kg.Invalid, dir, "expected the name of a new folder: %v", err)
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", fmt.Errorf("%s: not written: %w", dir, err)
	}
	for {
		// Unlike os.MkdirTemp's, the permissions are left to the user's umask, as the folder is going to stay.
		passing := filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(dir), rand.Uint32()))
		err := os.Mkdir(passing, 0o777)
		if err == nil {
			return passing, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s: not written: %w", dir, err)
		}
	}
}

// moveInPlace gives the folder its name, in place of an empty one if there is one, and has the disk know.
func moveInPlace(passing, dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		_ = os.Remove(dir) // os.Rename replaces no folder; one that is not empty stays, and the move fails
	}
	if err := os.Rename(passing, dir); err != nil {
		return fmt.Errorf("%s: not written: %w", dir, err)
	}
	if parent, err := os.Open(filepath.Dir(dir)); err == nil {
		_ = parent.Sync() // some systems cannot sync a folder, and do not need to
		parent.Close()
	}
	return nil
}

func fillFolder(ctx context.Context, s *kg.Splits, dir string, o Options) ([]Outcome, error) {
	if err := kg.WriteSnapshot(ctx, filepath.Join(dir, GraphFile), s); err != nil {
		return nil, err
	}
	files := &splitFiles{dir: dir, graph: s, options: o}
	defer files.abort()
	outcomes, err := Run(ctx, s, o, files.write)
	if err != nil {
		return outcomes, err
	}
	return outcomes, files.close()
}

// splitFiles writes each split to its file. As Run goes through the splits in order, one is open at a time.
type splitFiles struct {
	dir     string
	graph   *kg.Splits
	options Options
	split   dataset.Split
	open    *dataset.Writer // nil before the first query
}

func (f *splitFiles) write(split dataset.Split, _ string, q dataset.Query) error {
	if f.open != nil && f.split != split {
		if err := f.close(); err != nil {
			return err
		}
	}
	if f.open == nil {
		header := dataset.NewHeader(split, f.graph.Train.Vocabulary, f.options.provenance())
		w, err := dataset.Create(filepath.Join(f.dir, split.String()+dataset.FileSuffix), header)
		if err != nil {
			return err
		}
		f.open, f.split = w, split
	}
	return f.open.Write(q)
}

func (f *splitFiles) close() error {
	w := f.open
	f.open = nil
	if w == nil {
		return nil
	}
	return w.Close()
}

func (f *splitFiles) abort() {
	if f.open != nil {
		f.open.Abort()
	}
}

// provenance is what it takes to draw the same queries again; the counts are those of the file.
func (o Options) provenance() dataset.Provenance {
	return dataset.Provenance{
		Source: o.Source, Method: "sampled as BetaE does", Seed: o.Seed,
		Parameters: map[string]string{
			"max_answers": strconv.Itoa(o.maxAnswers()),
			"patience":    strconv.Itoa(o.patience()),
		},
	}
}
