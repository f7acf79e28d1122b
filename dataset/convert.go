package dataset

import (
	"context"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// ConvertOptions says how Convert writes.
type ConvertOptions struct {
	// Complete finds answers that the files lack by traversal. Without it they stay
	// absent, to be found whenever the set is streamed.
	Complete bool
	// Progress is called now and then with the number of queries written so far.
	Progress func(written int)
}

// Convert writes a set as a new folder of the own format: the graph as a snapshot
// and a file for each split. The folder appears when all of it is written, or not at all.
func Convert(ctx context.Context, s *Set, dir string, opts ConvertOptions) error {
	return WriteFolder(dir, func(passing string) error { return convertInto(ctx, s, passing, opts) })
}

func convertInto(ctx context.Context, s *Set, dir string, opts ConvertOptions) error {
	if err := snapshot.Write(ctx, filepath.Join(dir, GraphFile), s.Graph); err != nil {
		return err
	}
	written := 0
	for _, split := range s.Splits() {
		header := NewHeader(split, s.Graph.Train.Vocabulary, s.provenance(split))
		w, err := Create(filepath.Join(dir, split.String()+FileSuffix), header)
		if err != nil {
			return err
		}
		err = convertSplit(ctx, s, split, w, opts, &written)
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			w.Abort()
			return err
		}
	}
	return nil
}

func convertSplit(ctx context.Context, s *Set, split Split, w *Writer, opts ConvertOptions, written *int) error {
	queries := s.stored(ctx, split)
	if opts.Complete || s.recompute {
		queries = s.Queries(ctx, split)
	}
	for q, err := range queries {
		if err != nil {
			return err
		}
		if err := w.Write(q); err != nil {
			return err
		}
		*written++
		if opts.Progress != nil && *written%1024 == 0 {
			opts.Progress(*written)
		}
	}
	return nil
}

// provenance of a converted set: that of the original where it has one.
func (s *Set) provenance(split Split) Provenance {
	if own, ok := s.source.(ownFolder); ok {
		return own.readers[split].Header().Provenance
	}
	return Provenance{Source: filepath.Base(filepath.Clean(s.Dir)), Method: "converted from " + string(s.Format)}
}
