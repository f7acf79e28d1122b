package server

import (
	"io"
	"net"
	"testing"
)

// TestConnectionsOfOneAddress opens more connections than an address may have: one too many is closed, until another has ended.
func TestConnectionsOfOneAddress(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newConnections(listener, 2)
	defer l.Close()
	accepted := make(chan net.Conn, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	open := func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	open()
	open()
	first := <-accepted
	<-accepted
	if _, err := open().Read(make([]byte, 1)); err == nil {
		t.Error("one too many is served")
	} else if err != io.EOF {
		t.Logf("one too many: %v", err)
	}
	first.Close()
	first.Close() // counts once
	open()
	(<-accepted).Close()
}

// fromEverywhere gives connections that come from the addresses of one IPv6 network.
type fromEverywhere struct {
	net.Listener
	next byte
}

func (l *fromEverywhere) Accept() (net.Conn, error) {
	near, far := net.Pipe()
	l.next++
	return fromAddress{near, far, l.next}, nil
}

type fromAddress struct {
	net.Conn
	other net.Conn
	last  byte
}

func (c fromAddress) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IP{0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, c.last}, Port: 1}
}

// Close tells who accepts that it was turned away.
func (c fromAddress) Close() error {
	if c.last == 3 {
		panic("the third was turned away")
	}
	return c.Conn.Close()
}

// TestConnectionsOfOneNetwork counts all addresses of an IPv6 network as one: a machine has as many as it likes.
func TestConnectionsOfOneNetwork(t *testing.T) {
	l := newConnections(&fromEverywhere{}, 2)
	for range 2 {
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a third connection of the network was let in")
		}
	}()
	_, _ = l.Accept()
}
