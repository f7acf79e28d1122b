// Package endpoint copies the facts of a server into a file, as servers limit and fail:
// of a SPARQL endpoint into N-Triples, a predicate at a time, of a Neo4j database into the
// JSON lines of its own export; page by page, each page on the disk before the next is asked
// for. A copy that was broken off goes on where it was. What it writes is read as any other
// file.
package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// Options says how to copy; the zero value is for public endpoints.
type Options struct {
	PageSize int           // rows to ask for at a time; 0 for 10,000 and more where these come quickly
	Graph    string        // IRI of the graph to copy, "" for the endpoint's default
	Wait     time.Duration // before the first retry, doubled at each; 0 for half a second
	Client   *http.Client  // nil for one with a timeout of minutes
	// Waiting, if given, is told why a server is asked again, and after which pause.
	Waiting func(why error, pause time.Duration)
	// Progress is called after each page with the facts copied so far and their total, 0 if unknown.
	Progress func(done, total int64)
}

// Report tells what was copied and what was not.
type Report struct {
	Facts      int64 // rows that were written
	Resumed    int64 // of these, those of an earlier run
	Short      int64 // facts that the endpoint counts and did not give
	BlankNodes int64 // rows with a blank node, whose label an endpoint need not keep from page to page
	Refused    int64 // rows with what is no term of RDF
}

// Copy copies the endpoint's facts into folder, which it makes, and gives the file of N-Triples.
func Copy(ctx context.Context, address, folder string, opts Options) (path string, report Report, err error) {
	if parsed, err := url.Parse(address); err != nil || parsed.Host == "" || !strings.HasPrefix(parsed.Scheme, "http") {
		return "", report, kg.Errorf(kg.Invalid, address, "expected the address of a SPARQL endpoint, http://… or https://…")
	}
	if opts.Graph != "" && !isIRI(opts.Graph) {
		return "", report, kg.Errorf(kg.Invalid, "graph", "%q is no IRI", opts.Graph)
	}
	c := &copier{ctx: ctx, opts: opts, server: newServer(ctx, address, opts), pages: newPages(opts.PageSize), state: state{Address: address, Graph: opts.Graph}}
	if c.store, err = openStore(folder, "facts.nt", &c.state); err != nil {
		return "", report, err
	}
	defer c.store.close()
	if c.state.Address != address || c.state.Graph != opts.Graph {
		return "", report, ofAnother(folder, c.state.Address)
	}
	c.report = c.state.Report
	c.report.Resumed = c.report.Facts
	if err := c.run(); err != nil {
		return "", c.report, err
	}
	return c.store.facts.Name(), c.report, c.store.facts.Sync()
}

// copier is the state of a run beside what is on the disk.
type copier struct {
	ctx    context.Context
	opts   Options
	server *server
	store  *store
	state  state
	report Report
	pages  *pages
	page   []byte // N-Triples of the rows at hand
}

func (c *copier) run() error {
	state := &c.state
	if state.Predicates == nil {
		if err := c.findPredicates(); err != nil {
			return err
		}
	}
	for state.Next < len(state.Predicates) {
		if err := c.copyPredicate(state.Predicates[state.Next]); err != nil {
			return err
		}
		state.Next, state.Offset, state.Unordered = state.Next+1, 0, false
		if err := c.save(nil); err != nil {
			return err
		}
	}
	return nil
}

// from is the clause that names the graph.
func (c *copier) from() string {
	if c.opts.Graph == "" {
		return ""
	}
	return " FROM <" + c.opts.Graph + ">"
}

// findPredicates lists the predicates with their counts, or without where counting is too much for the endpoint.
func (c *copier) findPredicates() error {
	rows, err := c.server.ask("SELECT ?p (COUNT(*) AS ?n)" + c.from() + " { ?s ?p ?o } GROUP BY ?p ORDER BY ?p")
	if err != nil && !c.server.spoke {
		return err
	}
	if err != nil {
		var again error
		if rows, again = c.server.ask("SELECT DISTINCT ?p" + c.from() + " { ?s ?p ?o }"); again != nil {
			return err
		}
	}
	c.state.Predicates = []predicate{}
	for _, row := range rows {
		if iri := row["p"].Value; isIRI(iri) {
			count := int64(-1)
			fmt.Sscan(row["n"].Value, &count) // which leaves it unknown where there is none
			c.state.Predicates = append(c.state.Predicates, predicate{iri, count})
		}
	}
	if len(rows) == 0 {
		return kg.Errorf(kg.Invalid, c.server.address, "the endpoint has no facts, or not in this graph")
	}
	return c.save(nil)
}

// copyPredicate copies the rows of a predicate from where it stands. A page may be
// shorter than asked for, as endpoints limit: the end is reached with the count, or
// with an empty page where there is none.
func (c *copier) copyPredicate(p predicate) error {
	state := &c.state
	c.pages.begin()
	for p.Count < 0 || state.Offset < p.Count {
		asked := time.Now()
		rows, err := c.server.ask(c.pageQuery(p.IRI, c.pages.size))
		switch {
		case err != nil && kg.KindOf(err) == kg.Cancelled:
			return err
		case err != nil && c.pages.failed():
			continue
		case err != nil && !state.Unordered:
			// Some endpoints sort no more than so many rows. Without an order pages may
			// overlap, which drops out as facts are told apart, and may leave gaps, which the count shows.
			state.Unordered, state.Offset = true, 0
			continue
		case err != nil:
			return err
		case len(rows) == 0:
			c.report.Short += max(0, p.Count-state.Offset)
			return nil
		}
		c.pages.came(len(rows), time.Since(asked))
		state.Offset += int64(len(rows))
		if err := c.save(c.write(p.IRI, rows)); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) pageQuery(iri string, size int) string {
	order := " ORDER BY ?s ?o"
	if c.state.Unordered {
		order = ""
	}
	return fmt.Sprintf("SELECT ?s ?o%s { ?s <%s> ?o }%s LIMIT %d OFFSET %d", c.from(), iri, order, size, c.state.Offset)
}

// save puts a page and how far the copy is on the disk.
func (c *copier) save(page []byte) error {
	c.state.Report = c.report
	if err := c.store.save(page); err != nil {
		return err
	}
	if c.opts.Progress != nil {
		c.opts.Progress(c.report.Facts, c.state.total())
	}
	return nil
}

// write makes N-Triples of the rows.
func (c *copier) write(predicate string, rows []map[string]term) []byte {
	c.page = c.page[:0]
	for _, row := range rows {
		mark := len(c.page)
		s, o := row["s"], row["o"]
		ok := s.Type != "literal" && s.Type != "typed-literal"
		if c.page, ok = s.append(c.page, ok); ok {
			c.page = append(append(append(c.page, " <"...), predicate...), "> "...)
			c.page, ok = o.append(c.page, true)
		}
		if !ok {
			c.page = c.page[:mark]
			c.report.Refused++
			continue
		}
		if s.Type == "bnode" || o.Type == "bnode" {
			c.report.BlankNodes++
		}
		c.page = append(c.page, " .\n"...)
		c.report.Facts++
	}
	return c.page
}

// isIRI tells an absolute IRI that may stand between < and >.
func isIRI(text string) bool {
	return rdf.SchemeLength(text) > 0 && !strings.ContainsFunc(text, func(char rune) bool { return !rdf.InIRI(char) })
}

// Remove deletes a copy that is not needed any more, file by file, as it has no folders within.
func Remove(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Remove(filepath.Join(folder, file.Name())); err != nil {
			return err
		}
	}
	return os.Remove(folder)
}
