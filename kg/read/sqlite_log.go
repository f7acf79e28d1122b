package read

import (
	"encoding/binary"
	"io"
	"os"

	"github.com/lacuna-kg/lacuna/kg"
)

// A database that others write to has its last changes in a log beside it, NAME-wal, and the page that
// the log has last is the page that counts (sqlite.org/walformat.html).

const (
	walHeader   = 32
	frameHeader = 24
	walMagic    = 0x377f0682 // the last bit tells the order of bytes of its checksums
	hotJournal  = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
)

// sqliteLog is what the log of a database has.
type sqliteLog struct {
	data  io.ReaderAt
	size  int64
	pages map[int64]int64 // where the last of each page begins
	count int64           // pages of the database
}

// openLogs takes the log beside a database into account. A journal there is of a change that was cut off, which only SQLite can take back.
func (l *loader) openLogs(db *sqlite, path string) error {
	if journal, err := os.Open(path + "-journal"); err == nil {
		defer journal.Close()
		mark := make([]byte, len(hotJournal))
		if _, err := io.ReadFull(journal, mark); err == nil && string(mark) == hotJournal {
			return kg.Errorf(kg.Invalid, db.name, "a change of the database was cut off (%s-journal is there): open it once with SQLite, which takes the change back", db.name)
		}
	}
	file, err := os.Open(path + "-wal")
	if err != nil {
		return nil
	}
	l.keepOpen = append(l.keepOpen, file)
	info, err := file.Stat()
	if err != nil || info.Size() <= walHeader {
		return nil
	}
	db.log = readLog(file, info.Size(), db.page)
	if db.log != nil {
		db.size += info.Size()
		db.pages = db.log.count
	}
	return nil
}

// readLog finds the pages of all changes that were finished, nil where there are none. What does not fit its checksum, or
// is of an earlier log in the same file, ends it.
func readLog(data io.ReaderAt, size int64, page int) *sqliteLog {
	header := make([]byte, walHeader)
	if _, err := data.ReadAt(header, 0); err != nil {
		return nil
	}
	magic := binary.BigEndian.Uint32(header)
	if magic&^1 != walMagic || int(binary.BigEndian.Uint32(header[8:])) != page {
		return nil
	}
	sum := walSum{order: binary.ByteOrder(binary.LittleEndian)}
	if magic&1 == 1 {
		sum.order = binary.BigEndian
	}
	if sum.add(header[:24]); !sum.is(header[24:]) {
		return nil
	}
	log := &sqliteLog{data: data, size: size, pages: map[int64]int64{}}
	open := map[int64]int64{} // of the change at hand
	frame := make([]byte, frameHeader+page)
	for at := int64(walHeader); at+int64(len(frame)) <= size; at += int64(len(frame)) {
		if _, err := data.ReadAt(frame, at); err != nil || string(frame[8:16]) != string(header[16:24]) {
			break
		}
		sum.add(frame[:8])
		if sum.add(frame[frameHeader:]); !sum.is(frame[16:]) {
			break
		}
		open[int64(binary.BigEndian.Uint32(frame))] = at + frameHeader
		if count := binary.BigEndian.Uint32(frame[4:]); count > 0 { // the change is whole
			for number, begins := range open {
				log.pages[number] = begins
			}
			log.count = int64(count)
			clear(open)
		}
	}
	if log.count == 0 {
		return nil
	}
	return log
}

// walSum is the checksum of all frames so far.
type walSum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (s *walSum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		s.a += s.order.Uint32(data) + s.b
		s.b += s.order.Uint32(data[4:]) + s.a
	}
}

func (s *walSum) is(stated []byte) bool {
	return binary.BigEndian.Uint32(stated) == s.a && binary.BigEndian.Uint32(stated[4:]) == s.b
}
