package mcp

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna/server"
)

// calls tie the calls of tools to the request over HTTP that they came with, which older versions of the protocol do not: a call
// ends when its client leaves, waits as that client does and may do what it may. Every call has the service's limit on its time.
type calls struct {
	service *server.Service

	mutex    sync.Mutex
	last     uint64
	requests map[string]context.Context // at work, by number
}

// numberHeader holds the number of a request on its way through the SDK. Clients cannot set it.
const numberHeader = "Lacuna-Call"

func newCalls(service *server.Service) *calls {
	return &calls{service: service, requests: map[string]context.Context{}}
}

// numbered gives each request its number.
func (c *calls) numbered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number, done := c.begin(r.Context())
		defer done()
		r.Header.Set(numberHeader, number)
		next.ServeHTTP(w, r)
	})
}

func (c *calls) begin(ctx context.Context) (number string, done func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.last++
	number = strconv.FormatUint(c.last, 10)
	c.requests[number] = ctx
	return number, func() {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		delete(c.requests, number)
	}
}

// bounded puts the bounds of its request around each call. A call that panics is refused: it runs in a goroutine of the SDK, where
// nobody else would recover.
func (c *calls) bounded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		if request := c.requestOf(r); request != nil {
			both, cancel := context.WithCancelCause(joined{ctx, request})
			defer cancel(nil)
			defer context.AfterFunc(request, func() { cancel(context.Cause(request)) })()
			ctx = both
		}
		ctx, cancel := c.service.Within(ctx)
		defer cancel()
		err = c.service.Safely("a call of a tool", func() (err error) {
			result, err = next(ctx, method, r)
			return err
		})
		return result, err
	}
}

// requestOf is the context of the request that a call came with, nil where it came otherwise.
func (c *calls) requestOf(r mcp.Request) context.Context {
	extra := r.GetExtra()
	if extra == nil || extra.Header == nil {
		return nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.requests[extra.Header.Get(numberHeader)]
}

// joined is the context of a call with what the context of its request knows.
type joined struct {
	context.Context
	request context.Context
}

func (j joined) Value(key any) any {
	if value := j.Context.Value(key); value != nil {
		return value
	}
	return j.request.Value(key)
}
