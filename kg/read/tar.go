package read

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// isTar tells a tar archive by the mark that POSIX and GNU tar put into the first header.
func isTar(sample []byte) bool {
	return len(sample) >= tarBlock && bytes.HasPrefix(sample[257:], []byte("ustar"))
}

// tarFolder is an archive as the folder it was made of. Files may come in any
// order, so those that a format may need are kept in memory.
func (l *loader) tarFolder(in *input) (*folder, error) {
	f := &folder{name: in.name, sizes: map[string]int64{}}
	kept := map[string][]byte{}
	f.open = func(name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(kept[name])), nil
	}
	whole := &zeroCounter{r: in}
	archive := tar.NewReader(whole)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) && whole.zeros >= tarBlock {
			break
		}
		if err != nil {
			return nil, l.tarError(in.name, err)
		}
		name := path.Base(header.Name)
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if _, twice := f.sizes[name]; twice {
			return nil, kg.Errorf(kg.Invalid, in.name, "holds two files named %s, expected the archive of one folder", name)
		}
		f.sizes[name] = header.Size
		if !holdsTriples(name) {
			continue
		}
		if kept[name], err = io.ReadAll(archive); err != nil {
			return nil, l.tarError(in.name, err)
		}
	}
	// Progress was told while unpacking; what follows is in memory.
	l.meter = meter{}
	return f, nil
}

const tarBlock = 512

// zeroCounter counts the zeros at the end of what was read. An archive ends with
// blocks of zeros; one that was cut between two files looks whole without them.
type zeroCounter struct {
	r     io.Reader
	zeros int
}

func (z *zeroCounter) Read(p []byte) (int, error) {
	n, err := z.r.Read(p)
	tail := n - len(bytes.TrimRight(p[:n], "\x00"))
	if tail < n {
		z.zeros = 0
	}
	z.zeros += tail
	return n, err
}

func (l *loader) tarError(name string, err error) error {
	var known *kg.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return kg.Errorf(kg.Invalid, name, "the archive ends early: truncated?")
	}
	return kg.Errorf(kg.Invalid, name, "the archive is damaged: %v", err)
}

// holdsTriples tells the files that the formats of folders read from all others, such as large files of queries.
func holdsTriples(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	switch stem {
	case "entity2id", "relation2id", "train2id", "valid2id", "test2id", "id2ent", "id2rel", "ent2id", "rel2id":
		return true
	}
	for _, stems := range splitStems {
		if slices.Contains(stems, stem) {
			return true
		}
	}
	return slices.Contains(wholeExtensions, extensionOf(name)) || slices.Contains(containerExtensions, extensionOf(name))
}
