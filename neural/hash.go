package neural

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
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
	return hex.EncodeToString(hash.Sum(nil)), nil
}
