package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// A log is a header and frames, one for every Append. All numbers are little-endian.
//
//	8 bytes   "LACUNA\x1aJ"
//	uint32    version of the format
//	32 bytes  digest of the graph that the first generation began with
//	uint64    generation
//	uint32    checksum of everything above
//
//	4 bytes   "\x1aLJ\n"
//	uint32    length of the changes
//	uint64    number of the frame, from 0
//	uint32    checksum of length, number and changes
//	          the changes: a JSON list
//
// Checksums are CRC-32C. A frame is on the disk before the next is written, so that
// only the last can be torn by a crash.
const (
	logMark       = "LACUNA\x1aJ"
	logVersion    = 1
	frameMark     = "\x1aLJ\n"
	headerBytes   = 8 + 4 + digestBytes + 8 + 4
	digestBytes   = 32
	preambleBytes = 4 + 4 + 8 + 4
	maxChanges    = 1 << 30 // bytes of a frame's changes; far beyond what a server lets through
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeHeader(base Identity, generation uint64) []byte {
	order := binary.LittleEndian
	header := order.AppendUint32([]byte(logMark), logVersion)
	header = append(header, base[:]...)
	header = order.AppendUint64(header, generation)
	return order.AppendUint32(header, crc32.Checksum(header, castagnoli))
}

// decodeHeader checks a log's beginning and gives what it says.
func decodeHeader(data []byte) (base Identity, generation uint64, err error) {
	order := binary.LittleEndian
	switch {
	case len(data) < headerBytes:
		return base, 0, fmt.Errorf("%d bytes, expected a header of %d", len(data), headerBytes)
	case !bytes.HasPrefix(data, []byte(logMark)):
		return base, 0, fmt.Errorf("it begins with %q, expected %q", data[:len(logMark)], logMark)
	case order.Uint32(data[8:]) != logVersion:
		return base, 0, fmt.Errorf("format %d, expected %d", order.Uint32(data[8:]), logVersion)
	case order.Uint32(data[headerBytes-4:]) != crc32.Checksum(data[:headerBytes-4], castagnoli):
		return base, 0, fmt.Errorf("the checksum of its header does not match")
	}
	copy(base[:], data[12:])
	return base, order.Uint64(data[12+digestBytes:]), nil
}

func encodeFrame[C Change | turned](number uint64, changes []C) ([]byte, error) {
	body, err := json.Marshal(changes)
	if err != nil {
		return nil, err
	}
	if len(body) > maxChanges {
		return nil, fmt.Errorf("changes of %d bytes at once, the limit is %d", len(body), maxChanges)
	}
	order := binary.LittleEndian
	frame := make([]byte, 0, preambleBytes+len(body))
	frame = order.AppendUint32(append(frame, frameMark...), uint32(len(body)))
	frame = order.AppendUint64(frame, number)
	frame = order.AppendUint32(frame, frameChecksum(frame[4:], body))
	return append(frame, body...), nil
}

// frameChecksum covers the length and the number, too.
func frameChecksum(preamble, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(preamble, castagnoli), castagnoli, body)
}

// frameAt gives the body of the sound frame at the beginning of data, if there is one.
func frameAt(data []byte) (number uint64, body []byte, ok bool) {
	if len(data) < preambleBytes || !bytes.HasPrefix(data, []byte(frameMark)) {
		return 0, nil, false
	}
	order := binary.LittleEndian
	length := order.Uint32(data[4:])
	if uint64(length) > uint64(len(data)-preambleBytes) {
		return 0, nil, false
	}
	body = data[preambleBytes:][:length]
	sound := order.Uint32(data[16:]) == frameChecksum(data[4:16], body)
	return order.Uint64(data[8:]), body, sound
}

// turned is a change, or none and a version from which versions go on, see goOn.
type turned struct {
	Change
	Version uint64 `json:"version,omitempty"`
}

// contents is what the frames of a log say.
type contents struct {
	changes []Change
	frames  uint64
	set     uint64 // the version that a frame set, 0 for none
	since   uint64 // frames after it
	sound   int    // bytes of data up to the end of the last sound frame
}

// decodeFrames reads the frames after a header. What follows the last sound frame
// is a tail that a crash tore, unless a sound frame comes after it: then the log was damaged.
func decodeFrames(data []byte) (c contents, err error) {
	for c.sound < len(data) {
		number, body, ok := frameAt(data[c.sound:])
		if !ok {
			return c, damaged(data, c.sound)
		}
		if number != c.frames {
			return c, fmt.Errorf("byte %d: frame %d, expected frame %d", headerBytes+c.sound, number, c.frames)
		}
		var changes []turned
		if err := json.Unmarshal(body, &changes); err != nil {
			return c, fmt.Errorf("byte %d: frame %d: %w", headerBytes+c.sound, number, err)
		}
		c.frames++
		c.since++
		for _, change := range changes {
			if change.Version > 0 {
				c.set, c.since = change.Version, 0
			} else {
				c.changes = append(c.changes, change.Change)
			}
		}
		c.sound += preambleBytes + len(body)
	}
	return c, nil
}

// version is the one after the log, given that before it.
func (c contents) version(before uint64) uint64 {
	if c.set > 0 {
		return c.set + c.since
	}
	return before + c.frames
}

// damaged tells whether a sound frame follows the unsound one at a place.
func damaged(data []byte, at int) error {
	for from := at + 1; from < len(data); from++ {
		next := bytes.Index(data[from:], []byte(frameMark))
		if next < 0 {
			return nil
		}
		from += next
		if number, _, ok := frameAt(data[from:]); ok {
			return fmt.Errorf("damaged at byte %d, though frame %d at byte %d is sound: restore the file from a copy", headerBytes+at, number, headerBytes+from)
		}
	}
	return nil
}
