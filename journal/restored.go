package journal

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"time"
)

// Versions number the states of the graph, and clients rely on it that one version is one state. A folder that was restored
// from a copy does not know which versions were given since the copy was made. So it goes on from a version that nobody
// can have reached. That it was restored is seen from a note in the file lock, of which log it belongs to and which version came last:
// the log of a copy is another file, or an older one than the note says.

// place tells a file from copies of it.
type place struct {
	number  uint64 // of the file on its disk
	changed int64  // when, in nanoseconds
}

// note is what the file lock says: the log's place and the version after the last change. It is written without waiting for the disk. So
// after a loss of power it may be older than the log, which proves nothing.
type note struct {
	log     place
	version uint64
}

// A second note in the file says that the log is about to be changed, and since when. A kill may leave a log that was changed, as the
// system sees it, and says the same as before: a write that has not yet written anything, the end of a cut. That is none that was put
// back, if it happened soon after: to put back a copy, with the lock in it, takes longer.
const soon = 100 * time.Millisecond

const noteBytes = 3*8 + 4

func (n note) encode() []byte {
	order := binary.LittleEndian
	data := order.AppendUint64(nil, n.log.number)
	data = order.AppendUint64(data, uint64(n.log.changed))
	data = order.AppendUint64(data, n.version)
	return order.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// Where the notes are in the file.
const (
	lastNote  = 0
	aboutNote = noteBytes
)

// readNote gives a note of a lock, if there is one.
func readNote(lock *os.File, where int64) (n note, ok bool) {
	order, data := binary.LittleEndian, make([]byte, noteBytes)
	if _, err := lock.ReadAt(data, where); err != nil || order.Uint32(data[noteBytes-4:]) != crc32.Checksum(data[:noteBytes-4], castagnoli) {
		return n, false
	}
	return note{place{order.Uint64(data), int64(order.Uint64(data[8:]))}, order.Uint64(data[16:])}, true
}

// restored tells whether the log is a copy, or was put back. The first log of a folder, which is empty, is none. A crash that tears its end
// changes it, too.
func (j *Journal) restored(torn bool) (bool, error) {
	at, err := placeOf(j.log)
	if err != nil {
		return false, err
	}
	last, noted := readNote(j.lock.file, lastNote)
	version := j.before + j.next
	switch {
	case !noted:
		return version > 0, nil
	case last.version > version:
		return true, nil
	case last.log.number != at.number:
		return !j.notedBefore(last), nil
	}
	return !torn && last.version == version && last.log.changed != at.changed && !j.announced(at), nil
}

// announced tells whether the log was about to be changed when it was, and what it says now was there before.
func (j *Journal) announced(at place) bool {
	about, noted := readNote(j.lock.file, aboutNote)
	since := time.Duration(at.changed - about.log.changed)
	return noted && about.version == j.before+j.next && about.log.number == at.number && since.Abs() < soon
}

// notedBefore tells whether a note is of the log of the generation before, which a crash left there when it had begun this one.
func (j *Journal) notedBefore(last note) bool {
	log, err := os.Open(logFile(j.folder, j.generation-1))
	if err != nil {
		return false
	}
	defer log.Close()
	at, err := placeOf(log)
	return err == nil && at == last.log
}

// goOn puts the version where nobody can have been: to the microseconds since 1970, which no disk confirms changes as fast as.
func (j *Journal) goOn(now time.Time) error {
	version := max(uint64(now.UnixMicro()), j.before+j.next+1)
	frame, err := encodeFrame(j.next, []turned{{Version: version}})
	if err != nil {
		return err
	}
	return j.append(frame, version)
}

// writeNote notes the last version. It fails where the disk is full, say: then versions go on elsewhere after the next start.
func (j *Journal) writeNote() {
	if at, err := placeOf(j.log); err == nil {
		j.write(lastNote, at)
	}
}

// announce notes that the log is about to be changed.
func (j *Journal) announce() {
	if at, err := placeOf(j.log); err == nil {
		j.write(aboutNote, place{at.number, time.Now().UnixNano()})
	}
}

func (j *Journal) write(where int64, at place) {
	_, _ = j.lock.file.WriteAt(note{at, j.before + j.next}.encode(), where)
}

// cutTail takes away what stands in the log beyond its sound frames. Whenever it is killed, the next start knows the log for its own.
func (j *Journal) cutTail() error {
	j.announce()
	if err := j.log.Truncate(j.size); err != nil {
		return err
	}
	j.writeNote()
	return nil
}
