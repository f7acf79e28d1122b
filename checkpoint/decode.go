package checkpoint

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// decode reads the bytes of a safetensors file, whose name stands in errors. It refuses
// what is foreign, truncated or damaged, and never allocates much more than its values take as float32.
func decode(data []byte, name string) (*tensorFile, error) {
	header, values, err := split(data, name)
	if err != nil {
		return nil, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, corrupt(name, "its header is no JSON object: %v", err)
	}
	t := &tensorFile{}
	if metadata, ok := raw[metadataKey]; ok {
		if err := json.Unmarshal(metadata, &t.Metadata); err != nil {
			return nil, corrupt(name, "its metadata: %v", err)
		}
		delete(raw, metadataKey)
	}
	entries, err := parseEntries(raw, name)
	if err != nil {
		return nil, err
	}
	if err := checkCover(entries, uint64(len(values)), name); err != nil {
		return nil, err
	}
	if want, ok := t.Metadata[hashKey]; ok {
		if sum := sha256.Sum256(values); hex.EncodeToString(sum[:]) != want {
			return nil, corrupt(name, "its values do not match their checksum")
		}
		delete(t.Metadata, hashKey)
	}
	for _, e := range entries {
		t.List = append(t.List, storedTensor{e.name, e.DType, e.Shape, valuesOf(values[e.Offsets[0]:e.Offsets[1]], e.DType)})
	}
	t.List, err = withoutScales(t.List, name)
	return t, err
}

// split finds header and values. The first bytes tell whether it is such a file at all.
func split(data []byte, name string) (header, values []byte, err error) {
	if len(data) < lengthBytes {
		return nil, nil, truncated(name)
	}
	length, rest := binary.LittleEndian.Uint64(data), data[lengthBytes:]
	if length > maxHeader || len(rest) > 0 && rest[0] != '{' || length < 2 {
		return nil, nil, kg.Errorf(kg.Invalid, name, "expected a model in safetensors format, found something else")
	}
	if length > uint64(len(rest)) {
		return nil, nil, truncated(name)
	}
	return rest[:length], rest[length:], nil
}

type namedEntry struct {
	name string
	entry
}

// parseEntries reads the table of tensors, sorted by where their values begin.
func parseEntries(raw map[string]json.RawMessage, file string) ([]namedEntry, error) {
	entries := make([]namedEntry, 0, len(raw))
	for name, text := range raw {
		e := namedEntry{name: name}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&e.entry); err != nil {
			return nil, corrupt(file, "tensor %q: %v", name, err)
		}
		if err := e.check(file); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b namedEntry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]), cmp.Compare(a.name, b.name))
	})
	return entries, nil
}

func (e namedEntry) check(file string) error {
	if e.DType.size() == 0 {
		return kg.Errorf(kg.Invalid, file, "tensor %q is of type %q, expected F32, F16, BF16 or I8", e.name, e.DType)
	}
	n, ok := elements(e.Shape)
	if from, to := e.Offsets[0], e.Offsets[1]; !ok || to < from || to-from != uint64(n)*uint64(e.DType.size()) {
		return corrupt(file, "tensor %q of shape %v and type %s lies from byte %d to %d", e.name, e.Shape, e.DType, from, to)
	}
	return nil
}

// checkCover holds the tensors to lie end to end: no overlap, no gap, nothing behind.
func checkCover(entries []namedEntry, size uint64, file string) error {
	at := uint64(0)
	for _, e := range entries {
		if e.Offsets[0] != at {
			return corrupt(file, "tensor %q begins at byte %d, the one before ends at %d", e.name, e.Offsets[0], at)
		}
		at = e.Offsets[1]
	}
	switch {
	case at > size:
		return truncated(file)
	case at < size:
		return corrupt(file, "%d bytes follow the last tensor", size-at)
	}
	return nil
}

func truncated(name string) error {
	return kg.Errorf(kg.Invalid, name, "the model file is truncated: its end is missing; copy or make it again")
}

func corrupt(name, format string, args ...any) error {
	return kg.Errorf(kg.Invalid, name, "the model file is corrupt: "+format, args...)
}
