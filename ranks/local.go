package ranks

import (
	"fmt"
	"sync"
)

// Local gives the links of n ranks within this process, for tests and for whoever has no MPI.
func Local(n int) []Link {
	post := &postOffice{boxes: map[box][][]byte{}}
	links := make([]Link, n)
	for rank := range links {
		links[rank] = &localLink{post, rank, n}
	}
	return links
}

// postOffice holds the messages that were not received yet.
type postOffice struct {
	mutex sync.Mutex
	boxes map[box][][]byte
}

type box struct{ from, to, tag int }

type localLink struct {
	*postOffice
	rank, size int
}

func (l *localLink) Rank() int               { return l.rank }
func (l *localLink) Size() int               { return l.size }
func (l *localLink) Memory(bytes int) []byte { return make([]byte, bytes) }
func (l *localLink) Describe() string        { return "memory" }
func (l *localLink) Close() error            { return nil }
func (l *localLink) Abort()                  {}

func (l *localLink) Send(to, tag int, message []byte) (Request, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	at := box{l.rank, to, tag}
	l.boxes[at] = append(l.boxes[at], append([]byte(nil), message...))
	return delivered{}, nil
}

func (l *localLink) Receive(from, tag int, message []byte) (Request, error) {
	return &awaited{l.postOffice, box{from, l.rank, tag}, message}, nil
}

func (l *localLink) Waits(from, tag int) (bool, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.boxes[box{from, l.rank, tag}]) > 0, nil
}

type delivered struct{}

func (delivered) Done() (bool, error) { return true, nil }

type awaited struct {
	*postOffice
	at   box
	into []byte
}

func (a *awaited) Done() (bool, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	waiting := a.boxes[a.at]
	if len(waiting) == 0 {
		return false, nil
	}
	a.boxes[a.at] = waiting[1:]
	if len(waiting[0]) != len(a.into) {
		return true, fmt.Errorf("rank %d sent %d bytes where %d were expected", a.at.from, len(waiting[0]), len(a.into))
	}
	copy(a.into, waiting[0])
	return true, nil
}
