package endpoint

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// Remote asks other servers while a query runs: SPARQL endpoints for SERVICE, files for LOAD. The zero value asks nobody.
type Remote struct {
	Services, Files Guard
	Time            time.Duration // the most of one request; 0 for half a minute
	Bytes           int64         // the most of one answer; 0 for 64 MiB
}

// Select sends a query to an endpoint and gives its answer, results in JSON. One attempt has to do: somebody waits.
func (r *Remote) Select(ctx context.Context, address, query string) (io.ReadCloser, error) {
	client, err := r.Services.client(address, r.time())
	if err != nil {
		return nil, err
	}
	request, err := newQuery(ctx, address, query)
	if err != nil {
		return nil, err
	}
	response, err := r.do(ctx, client, request)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// Fetch gives the text at an address and its media type.
func (r *Remote) Fetch(ctx context.Context, address string) (text io.ReadCloser, media string, err error) {
	client, err := r.Files.client(address, r.time())
	if err != nil {
		return nil, "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", kg.Errorf(kg.Invalid, address, "%v", err)
	}
	request.Header.Set("Accept", "text/turtle, application/n-triples, application/rdf+xml, application/ld+json;q=0.9, */*;q=0.1")
	request.Header.Set("User-Agent", userAgent)
	response, err := r.do(ctx, client, request)
	if err != nil {
		return nil, "", err
	}
	return response.Body, response.Header.Get("Content-Type"), nil
}

func (r *Remote) time() time.Duration { return cmp.Or(r.Time, 30*time.Second) }

// do sends a request; the body of the answer ends with an error where it is too long.
func (r *Remote) do(ctx context.Context, client *http.Client, request *http.Request) (*http.Response, error) {
	response, err := client.Do(request)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, kg.Stopped(ctx)
	case err != nil:
		return nil, kg.Errorf(kg.Invalid, request.URL.Redacted(), "no answer: %s", oneLine(err.Error()))
	case response.StatusCode != http.StatusOK:
		defer response.Body.Close()
		start, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return nil, kg.Errorf(kg.Invalid, request.URL.Redacted(), "it answers %s: %s", response.Status, firstLine(start))
	}
	most := cmp.Or(r.Bytes, 64<<20)
	response.Body = &bounded{response.Body, most, request.URL.Redacted(), most}
	return response, nil
}

// bounded is a body that ends with an error after so many bytes.
type bounded struct {
	io.ReadCloser
	left    int64
	address string
	most    int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, kg.Errorf(kg.TooLarge, b.address, "its answer has more than the limit of %d bytes", b.most)
	}
	if err != nil && err != io.EOF {
		err = kg.Errorf(kg.Invalid, b.address, "the answer breaks off: %s", oneLine(err.Error()))
	}
	return n, err
}

const userAgent = "lacuna (https://github.com/lacuna-kg/lacuna)"

// newQuery is the request of a query to an endpoint.
func newQuery(ctx context.Context, address, query string) (*http.Request, error) {
	form := url.Values{"query": {query}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, address, "%v", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/sparql-results+json")
	request.Header.Set("User-Agent", userAgent)
	return request, nil
}
