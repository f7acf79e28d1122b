package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

const maxPage = 1 << 30 // bytes of an answer

// server asks an endpoint, again where that may help.
type server struct {
	*patience
	client  *http.Client
	address string
}

func newServer(ctx context.Context, address string, opts Options) *server {
	s := &server{newPatience(ctx, opts), opts.Client, address}
	if s.client == nil {
		s.client = &http.Client{Timeout: 5 * time.Minute}
	}
	return s
}

// answer is what came back of an attempt.
type answer struct {
	rows  []map[string]term
	err   error
	cause error         // what Go says of a failure
	again bool          // another attempt may succeed
	after time.Duration // which the endpoint asks to wait for, 0 if it does not say
}

// ask sends a query until it is answered or there is no hope.
func (s *server) ask(query string) ([]map[string]term, error) {
	for attempt := 1; ; attempt++ {
		a := s.try(query)
		if s.heard(a.cause); a.err == nil || !a.again || !s.endures(attempt, a.cause) {
			return a.rows, a.err
		}
		if err := s.pause(attempt, a.after, a.err); err != nil {
			return nil, err
		}
	}
}

func (s *server) try(query string) answer {
	request, err := newQuery(s.ctx, s.address, query)
	if err != nil {
		return answer{err: err}
	}
	response, err := s.client.Do(request)
	if err != nil {
		a := s.failed("no answer: %v", err)
		a.cause = err
		return a
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxPage))
	switch {
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500:
		a := s.failed("it answers %s", response.Status)
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		a.after = time.Duration(seconds) * time.Second
		return a
	case response.StatusCode != http.StatusOK:
		return answer{err: kg.Errorf(kg.Invalid, s.address, "it answers %s: %s", response.Status, firstLine(body))}
	case err != nil:
		return s.failed("the answer breaks off: %v", err)
	}
	return s.decode(body)
}

// failed is an answer that another attempt may better, unless the user has stopped.
func (s *server) failed(format string, args ...any) answer {
	if err := kg.Stopped(s.ctx); err != nil {
		return answer{err: err}
	}
	return answer{err: kg.Errorf(kg.Failure, s.address, "%s", oneLine(fmt.Sprintf(format, args...))), again: true}
}

func (s *server) decode(body []byte) answer {
	var page struct {
		Results *struct {
			Bindings []map[string]term `json:"bindings"`
		} `json:"results"`
	}
	err := json.Unmarshal(body, &page)
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return answer{err: kg.Errorf(kg.Invalid, s.address, "it answers with HTML or XML, expected SPARQL results in JSON: is this the endpoint?")}
	case err != nil:
		return s.failed("the answer is no JSON: %v", err)
	case page.Results == nil:
		return answer{err: kg.Errorf(kg.Invalid, s.address, "the answer has no results, expected SPARQL results in JSON: is this the endpoint?")}
	}
	return answer{rows: page.Results.Bindings}
}

func firstLine(body []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	return oneLine(string(line[:min(len(line), 200)]))
}

func oneLine(text string) string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?")
}
