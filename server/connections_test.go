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
