package chromium

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// conn matches the answers of the browser to the calls, and hands events to their pages.
type conn struct {
	in  io.ReadCloser
	out io.WriteCloser

	mutex    sync.Mutex
	last     int
	waiting  map[int]chan message
	handlers map[string]func(method string, params json.RawMessage) // by session
	failed   error
}

// message is a call, an answer or an event of the protocol.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *protocolError  `json:"error,omitempty"`
}

type protocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func newConn(in io.ReadCloser, out io.WriteCloser) *conn {
	c := &conn{in: in, out: out, waiting: map[int]chan message{}, handlers: map[string]func(string, json.RawMessage){}}
	go c.read()
	return c
}

func (c *conn) close() {
	c.out.Close()
	c.in.Close()
}

// read hands out messages until the pipe ends.
func (c *conn) read() {
	reader := bufio.NewReaderSize(c.in, 1<<20)
	for {
		data, err := reader.ReadBytes(0)
		if err != nil {
			c.fail(fmt.Errorf("the browser's pipe ended: %w", err))
			return
		}
		var m struct {
			message
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			c.fail(err)
			return
		}
		c.dispatch(m.message, m.Params)
	}
}

func (c *conn) dispatch(m message, params json.RawMessage) {
	c.mutex.Lock()
	answer, handler := c.waiting[m.ID], c.handlers[m.Session]
	delete(c.waiting, m.ID)
	c.mutex.Unlock()
	switch {
	case m.ID != 0 && answer != nil:
		answer <- m
	case m.Method != "" && handler != nil:
		handler(m.Method, params)
	}
}

func (c *conn) fail(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.failed = err
	for id, answer := range c.waiting {
		close(answer)
		delete(c.waiting, id)
	}
}

// call sends a command and waits for its result.
func (c *conn) call(ctx context.Context, session, method string, params, result any) error {
	answer := make(chan message, 1)
	if err := c.send(message{Session: session, Method: method, Params: params}, answer); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case m, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: the browser ended", method)
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (c *conn) send(m message, answer chan message) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.failed != nil {
		return c.failed
	}
	c.last++
	m.ID = c.last
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.waiting[m.ID] = answer
	if _, err := c.out.Write(append(data, 0)); err != nil {
		delete(c.waiting, m.ID)
		return errors.Join(errors.New("the browser does not listen"), err)
	}
	return nil
}

func (c *conn) handle(session string, handler func(string, json.RawMessage)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.handlers[session] = handler
}
