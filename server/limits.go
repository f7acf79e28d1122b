package server

import (
	"time"

	"github.com/lacuna-kg/lacuna/internal/memory"
)

// Limits bound everything that a request can take. The zero value of a field means its default.
type Limits struct {
	Body        int64         `json:"body_bytes"`     // of a request
	Upload      int64         `json:"upload_bytes"`   // of a file that is brought
	Unpacked    int64         `json:"unpacked_bytes"` // of such a file, unpacked; by default as much as memory allows for
	Text        int           `json:"question_bytes"` // of a question
	Projections int           `json:"projections"`    // relation steps of a question
	Memory      int64         `json:"memory_bytes"`   // of the sets of a question, and of those of a batch
	Answers     int           `json:"answers"`        // listed of one question
	Top         int           `json:"top"`            // entities named at each step
	Facts       int           `json:"facts"`          // added and removed by one request
	Name        int           `json:"name_bytes"`     // of a name that is added
	Matches     int           `json:"matches"`        // of one completion
	Queue       int           `json:"queue"`          // requests that wait, of each kind
	Requests    int           `json:"requests"`       // at work at one time, waiting ones included
	Batch       int           `json:"batch"`          // questions that run together
	Window      time.Duration `json:"-"`              // how long a question waits for company
	Time        time.Duration `json:"-"`              // of a request, waiting included
	Cache       int64         `json:"cache_bytes"`    // of remembered predictions; negative: none
	Drain       time.Duration `json:"-"`              // for what is at work when the server stops
	Turn        time.Duration `json:"-"`              // that others who share the log of facts wait for a group of changes
	Wait        time.Duration `json:"-"`              // of a read for the version that it asks for
	Lag         time.Duration `json:"-"`              // behind a shared log of facts, from which on other servers should be asked
	CutOff      time.Duration `json:"-"`              // the same without a word from the log; 0: for ever
	Compact     int64         `json:"-"`              // bytes of journal after which it is compacted
}

// DefaultLimits suit one machine that a few dozen people use. A file takes up to ten times its text while a graph is made of it.
func DefaultLimits() Limits {
	return Limits{
		Body: 1 << 20, Upload: 1 << 30, Unpacked: min(1<<30, memory.Limit()/16), Text: 64 << 10, Projections: 64, Memory: 1 << 30, Answers: 10_000, Top: 100,
		Facts: 10_000, Name: 16 << 10, Matches: 100, Queue: 128, Requests: 512, Batch: 32, Window: 3 * time.Millisecond,
		Time: 30 * time.Second, Cache: 256 << 20, Drain: 20 * time.Second, Turn: 10 * time.Second, Wait: defaultWait, Lag: 10 * time.Second, Compact: 64 << 20,
	}
}

// withDefaults puts defaults for zeros.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	set(&l.Body, d.Body)
	set(&l.Upload, d.Upload)
	set(&l.Unpacked, d.Unpacked)
	set(&l.Text, d.Text)
	set(&l.Projections, d.Projections)
	set(&l.Memory, d.Memory)
	set(&l.Answers, d.Answers)
	set(&l.Top, d.Top)
	set(&l.Facts, d.Facts)
	set(&l.Name, d.Name)
	set(&l.Matches, d.Matches)
	set(&l.Queue, d.Queue)
	set(&l.Requests, d.Requests)
	set(&l.Batch, d.Batch)
	set(&l.Window, d.Window)
	set(&l.Time, d.Time)
	set(&l.Cache, d.Cache)
	set(&l.Drain, d.Drain)
	set(&l.Turn, d.Turn)
	set(&l.Wait, d.Wait)
	set(&l.Lag, d.Lag)
	set(&l.Compact, d.Compact)
	return l
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
