package pgtest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Link is a way to the server that can be cut. A cut link is silent, as one is whose cable was pulled: connections stay open, and nothing comes
// through, also not the end of them.
type Link struct {
	listener net.Listener
	to       string

	mutex sync.Mutex
	state *sync.Cond
	cut   bool
	open  map[net.Conn]bool
}

// Link makes one.
func (c *Cluster) Link(t testing.TB) *Link {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{listener: listener, to: c.Address(), open: map[net.Conn]bool{}}
	l.state = sync.NewCond(&l.mutex)
	go l.accept()
	t.Cleanup(func() { listener.Close(); l.Reset(); l.Mend() })
	return l
}

// Address is where the near end listens.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Cut stops everything on the link.
func (l *Link) Cut() { l.set(true) }

// Mend lets it through again, what was held back included.
func (l *Link) Mend() { l.set(false) }

func (l *Link) set(cut bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.cut = cut
	l.state.Broadcast()
}

// Reset breaks all connections, which both sides notice.
func (l *Link) Reset() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for conn := range l.open {
		conn.Close()
	}
}

func (l *Link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.carry(near)
	}
}

func (l *Link) carry(near net.Conn) {
	l.pass()
	far, err := net.Dial("tcp", l.to)
	if err != nil {
		near.Close()
		return
	}
	l.mutex.Lock()
	l.open[near], l.open[far] = true, true
	l.mutex.Unlock()
	go l.copy(near, far)
	l.copy(far, near)
	l.mutex.Lock()
	delete(l.open, near)
	delete(l.open, far)
	l.mutex.Unlock()
}

// pass waits while the link is cut.
func (l *Link) pass() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for l.cut {
		l.state.Wait()
	}
}

func (l *Link) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.pass()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				from.Close()
			}
			return
		}
	}
}
