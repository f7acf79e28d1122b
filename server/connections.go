package server

import (
	"net"
	"sync"
)

// mostConnections is how many connections an address may have open: of files that a process can open there are not many more.
const mostConnections = 2048

// connections is a listener that closes what an address opens beyond its share.
type connections struct {
	net.Listener
	most int

	mutex sync.Mutex
	open  map[string]int // by address
}

func newConnections(l net.Listener, most int) *connections {
	return &connections{Listener: l, most: most, open: map[string]int{}}
}

// Accept waits for a connection of an address that may have one more.
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := addressOf(conn.RemoteAddr().String())
		if c.count(host) {
			return &counted{Conn: conn, end: sync.OnceFunc(func() { c.forget(host) })}, nil
		}
		conn.Close()
	}
}

func (c *connections) count(host string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.open[host] >= c.most {
		return false
	}
	c.open[host]++
	return true
}

func (c *connections) forget(host string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.open[host]--; c.open[host] == 0 {
		delete(c.open, host)
	}
}

// counted is a connection that is counted until it is closed.
type counted struct {
	net.Conn
	end func()
}

func (c *counted) Close() error {
	c.end()
	return c.Conn.Close()
}
