package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Target is a server on this machine, without a token. Bystander and attackers come from different addresses of the
// loopback network, so that they are different clients; where the system has only one of them, from the same.
type Target struct {
	URL string // http://127.0.0.1:PORT
}

// graph is what a server tells of its graph.
type graph struct {
	relations []string
	entity    string // one with facts
	question  string // a cheap one
	model     bool
	writes    bool
	uploads   bool
}

const (
	bystanderAddress = "127.0.0.1"
	attackerAddress  = "127.0.0.2"
)

// client is one whose connections come from an address, if the system lets them.
func client(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 5 * time.Second}
	transport := &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, to)
			if err != nil && ctx.Err() == nil {
				return new(net.Dialer).DialContext(ctx, network, to)
			}
			return conn, err
		},
	}
	return &http.Client{Transport: transport, Timeout: 2 * time.Minute}
}

// dial opens a connection for what http.Client would not do.
func (t Target) dial(ctx context.Context) (net.Conn, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(attackerAddress)}, Timeout: 5 * time.Second}
	return dialer.DialContext(ctx, "tcp", strings.TrimPrefix(t.URL, "http://"))
}

// look asks the server what it serves.
func (t Target) look(ctx context.Context) (graph, error) {
	var info struct {
		Model     *struct{} `json:"model"`
		ReadOnly  bool      `json:"read_only"`
		Upload    bool      `json:"upload"`
		Questions []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	var relations []struct {
		Name string `json:"name"`
	}
	var names struct {
		Matches []struct {
			Name string `json:"name"`
		} `json:"matches"`
	}
	for path, into := range map[string]any{"/api/info": &info, "/api/relations": &relations, "/api/complete?kind=entity": &names} {
		if err := t.get(ctx, path, into); err != nil {
			return graph{}, err
		}
	}
	if len(relations) == 0 || len(names.Matches) == 0 {
		return graph{}, fmt.Errorf("%s serves no facts, expected a graph to attack", t.URL)
	}
	g := graph{entity: names.Matches[0].Name, model: info.Model != nil, writes: !info.ReadOnly, uploads: info.Upload}
	for _, r := range relations {
		g.relations = append(g.relations, r.Name)
	}
	g.question = fmt.Sprintf("?x : %s(x, %q)", g.relations[0], g.entity)
	return g, nil
}

func (t Target) get(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, "GET", t.URL+path, nil)
	if err != nil {
		return err
	}
	response, err := client(bystanderAddress).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, data)
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return err
}

// relation is one of the graph's, however few there are.
func (g graph) relation(i int) string { return g.relations[i%len(g.relations)] }
