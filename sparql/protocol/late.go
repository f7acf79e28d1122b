package protocol

import (
	"net"
	"net/http"
	"strconv"

	"github.com/lacuna-kg/lacuna/sparql/results"
)

// heldBack are the most bytes of results that wait for the end of an evaluation, so that an error of it still has a
// status and a line that says why. Larger results are a stream.
const heldBack = 1 << 18

// passedOn is how much a stream gathers before it is written: a write may mean to wait for a place.
const passedOn = 1 << 16

// lateWriter sends the head of the response with the first bytes of its body, as late as it may.
type lateWriter struct {
	w           http.ResponseWriter
	contentType string
	held        []byte
	began       bool
}

func (l *lateWriter) Write(p []byte) (int, error) {
	l.held = append(l.held, p...)
	if len(l.held) < heldBack && (!l.began || len(l.held) < passedOn) {
		return len(p), nil
	}
	return len(p), l.pass()
}

// pass sends what was held.
func (l *lateWriter) pass() error {
	if !l.began {
		l.began = true
		l.w.Header().Set("Content-Type", l.contentType)
		if l.w.Header().Get("Content-Length") == "" {
			l.w.Header().Set("Trailer", ErrorTrailer)
		}
	}
	_, err := l.w.Write(l.held)
	if cap(l.held) > 2*passedOn {
		l.held = nil
	}
	l.held = l.held[:0]
	return err
}

// finish sends the rest. Results that were held whole say how long they are.
func (l *lateWriter) finish() error {
	if !l.began {
		l.w.Header().Set("Content-Length", strconv.Itoa(len(l.held)))
	}
	return l.pass()
}

// ErrorTrailer is the field behind a stream that says what stopped it, where something did.
const ErrorTrailer = "Lacuna-Error"

// stop ends a stream with the error that stopped it: behind the rows, in a way that leaves the document unfinished, and in the
// trailer. What has no such way is cut.
func (l *lateWriter) stop(r *http.Request, format results.Format, err error) {
	_, p := describe(err)
	tail, can := format.Unfinished(p.Kind, p.Message)
	if !can || !r.ProtoAtLeast(1, 1) {
		cut(l.w, r)
	}
	l.held = append(l.held, tail...)
	l.w.Header().Set(ErrorTrailer, results.HeaderText(p.Kind+": "+p.Message))
	_ = l.pass() // fails only for a client that left
}

// cut ends a response whose beginning is sent: the client must not take half of the results for all of them, and the
// status is long gone. In HTTP/1.1 the last chunk is missing then, in HTTP/2 the stream is reset. The end of a response
// of HTTP/1.0 is the end of the connection, which therefore is reset.
func cut(w http.ResponseWriter, r *http.Request) {
	if !r.ProtoAtLeast(1, 1) {
		reset(w)
	}
	panic(http.ErrAbortHandler)
}

// reset ends a connection so that its client reads an error.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	below := conn
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok { // of TLS
		below = secured.NetConn()
	}
	if tcp, ok := below.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // what fails leaves an ordinary end
	}
	_ = below.Close()
}
