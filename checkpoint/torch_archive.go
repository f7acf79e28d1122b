package checkpoint

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/kg"
)

// A PyTorch file since version 1.6 is a zip archive of one folder, nothing compressed:
//
//	NAME/data.pkl    a pickle of dicts and tensors, whose values it names by a key
//	NAME/data/KEY    the values of a storage, raw
//	NAME/byteorder   "little", in newer files
type torchArchive struct {
	name   string // of the file, for errors
	size   int
	folder string
	files  map[string]*zip.File
	root   *pickle.Dict
	opened map[string][]byte // storages that were read
}

// maxTorchPickle bounds the pickle: it lists tensors and holds no values.
const maxTorchPickle = 64 << 20

func openTorch(data []byte, name string) (*torchArchive, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, notTorch(data, name, err)
	}
	a := &torchArchive{name: name, size: len(data), files: map[string]*zip.File{}, opened: map[string][]byte{}}
	for _, f := range archive.File {
		a.files[f.Name] = f
		if path.Base(f.Name) == "data.pkl" && a.folder == "" {
			a.folder = path.Dir(f.Name)
		}
	}
	if a.folder == "" {
		return nil, kg.Errorf(kg.Invalid, name, "a zip archive without data.pkl, expected one that PyTorch wrote")
	}
	if err := a.checkOrder(); err != nil {
		return nil, err
	}
	return a, a.readPickle()
}

// notTorch says what a file that is no zip archive may be.
func notTorch(data []byte, name string, err error) error {
	switch {
	case bytes.HasPrefix(data, []byte("PK")), len(data) == 0:
		return truncated(name)
	case bytes.HasPrefix(data, []byte{0x80, 0x02}):
		return kg.Errorf(kg.Invalid, name, "a PyTorch file of a version before 1.6: save it again with a newer one")
	case errors.Is(err, zip.ErrFormat):
		return kg.Errorf(kg.Invalid, name, "expected a PyTorch checkpoint (.pth), found something else")
	}
	return corrupt(name, "%v", err)
}

func (a *torchArchive) checkOrder() error {
	if _, ok := a.files[a.path("byteorder")]; !ok {
		return nil
	}
	order, err := a.contents("byteorder", 16)
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(string(order)); text != "little" {
		return kg.Errorf(kg.Invalid, a.name, "its values are in byte order %q, expected little", text)
	}
	return nil
}

func (a *torchArchive) path(file string) string { return path.Join(a.folder, file) }

// contents reads a file of the archive, of which the checksum is checked too.
func (a *torchArchive) contents(file string, limit uint64) ([]byte, error) {
	f, ok := a.files[a.path(file)]
	if !ok {
		return nil, corrupt(a.name, "it lacks %s", file)
	}
	if f.Method != zip.Store || f.UncompressedSize64 > limit {
		return nil, kg.Errorf(kg.Invalid, a.name, "%s is compressed or longer than %d bytes, which PyTorch does not write", file, limit)
	}
	r, err := f.Open()
	if err != nil {
		return nil, corrupt(a.name, "%s: %v", file, err)
	}
	defer r.Close()
	// ReadAll grows with what is there, as the size is only what the file claims.
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, corrupt(a.name, "%s: %v", file, err)
	}
	return data, nil
}

func (a *torchArchive) readPickle() error {
	data, err := a.contents("data.pkl", maxTorchPickle)
	if err != nil {
		return err
	}
	value, err := pickle.Decode(bytes.NewReader(data), pickle.Hooks{Global: torchGlobal, Persistent: torchStorageOf})
	if err != nil {
		return kg.Errorf(kg.Invalid, a.name, "%v", err)
	}
	root, ok := asDict(value)
	if !ok {
		return kg.Errorf(kg.Invalid, a.name, "the file holds a %T, expected the tensors of a network by name", value)
	}
	a.root = root
	return nil
}

func asDict(value any) (*pickle.Dict, bool) {
	dict, ok := value.(*pickle.Dict)
	return dict, ok
}

// read appends the values of a tensor.
func (a *torchArchive) read(to []float32, name string, t *torchTensor) ([]float32, error) {
	raw, err := a.storage(t.storage)
	if err != nil {
		return nil, err
	}
	if len(raw) != 4*t.storage.length {
		return nil, corrupt(a.name, "tensor %q: its storage has %d bytes, expected %d values", name, len(raw), t.storage.length)
	}
	t.each(func(at int) {
		to = append(to, math.Float32frombits(binary.LittleEndian.Uint32(raw[4*at:])))
	})
	return to, nil
}

// storage gives the bytes of a storage, which several tensors may share.
func (a *torchArchive) storage(s *torchStorage) ([]byte, error) {
	if raw, ok := a.opened[s.key]; ok {
		return raw, nil
	}
	raw, err := a.contents("data/"+s.key, 4*uint64(s.length))
	if err != nil {
		return nil, err
	}
	a.opened[s.key] = raw
	return raw, nil
}
