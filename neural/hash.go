package neural

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Hash identifies the network, its parameters and what is put on them: files of what it
// predicts carry it. It takes the model's lock by itself.
func (m *Model) Hash() (string, error) {
	m.Lock()
	defer m.Unlock()
	spec, err := json.Marshal(m.Network.Spec())
	if err != nil {
		return "", err
	}
	device := m.Network.Device()
	values := make([]float32, m.Network.Parameters.Len)
	device.Download(values, m.Network.Parameters.Values)
	if err := device.Sync(); err != nil {
		return "", err
	}
	hash := sha256.New()
	hash.Write(spec)
	data := make([]byte, 0, 4*len(values))
	for _, x := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	hash.Write(data)
	if m.Cut != 0 { // rows are others then
		fmt.Fprintf(hash, "cut %d", m.Cut)
	}
	if err := m.hashFactors(hash); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// hashFactors adds the vectors, where there are any.
func (m *Model) hashFactors(hash io.Writer) error {
	f := m.Card.Factors
	if f == nil {
		return nil
	}
	if err := json.NewEncoder(hash).Encode(f); err != nil {
		return err
	}
	for _, values := range [][]float32{f.Vectors.Entities, f.Vectors.Relations} {
		if err := binary.Write(hash, binary.LittleEndian, values); err != nil {
			return err
		}
	}
	return nil
}
