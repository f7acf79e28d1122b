package endpoint

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// Neo4jReport tells what was copied of a database and what was not.
type Neo4jReport struct {
	Nodes         int64 `json:"nodes"`
	Relationships int64 `json:"relationships"`
	Resumed       int64 `json:"-"`          // of both, those of an earlier run
	Properties    int64 `json:"properties"` // of relationships, which have no place in triples
	Short         int64 `json:"short"`      // nodes and relationships that the database counted and did not give
}

// neo4jState is how far a copy of a database is.
type neo4jState struct {
	Address   string      `json:"address"`
	Counts    [2]int64    `json:"counts"`    // of nodes and of relationships, as the database had them at the start
	Counted   bool        `json:"counted"`   // whether they are there
	ByElement bool        `json:"byElement"` // ids are texts, as the database has no numbers any more
	Part      int         `json:"part"`      // of parts, the one that is being copied
	After     *elementID  `json:"after"`     // the last of it that was, nil at its start
	Bytes     int64       `json:"bytes"`     // of lines that count
	Report    Neo4jReport `json:"report"`
}

func (s *neo4jState) length() *int64 { return &s.Bytes }

// parts are what is copied one after the other: nodes first, as a reader of the lines would have it.
var parts = [2]struct{ count, page string }{
	{"MATCH (n) RETURN count(n)", "MATCH (n)%s RETURN ID(n), labels(n), properties(n) ORDER BY ID(n) LIMIT $page"},
	{"MATCH ()-[n]->() RETURN count(n)", "MATCH (a)-[n]->(b)%s RETURN ID(n), type(n), ID(a), ID(b), size(keys(n)) ORDER BY ID(n) LIMIT $page"},
}

// CopyNeo4j copies a database into folder, which it makes, and gives the file of lines, as apoc.export.json
// would have written it. The address is bolt://user:password@host:port/database, or neo4j://…, with +s for TLS.
func CopyNeo4j(ctx context.Context, address, folder string, opts Options) (path string, report Neo4jReport, err error) {
	db, err := dial(ctx, address, opts)
	if err != nil {
		return "", report, err
	}
	defer db.close()
	c := &neo4jCopier{opts: opts, db: db, pages: newPages(opts.PageSize), state: neo4jState{Address: db.name}}
	if c.store, err = openStore(folder, "facts.json", &c.state); err != nil {
		return "", report, err
	}
	defer c.store.close()
	if c.state.Address != db.name {
		return "", report, ofAnother(folder, c.state.Address)
	}
	c.state.Report.Resumed = c.state.Report.Nodes + c.state.Report.Relationships
	if err := c.run(); err != nil {
		return "", c.state.Report, err
	}
	return c.store.facts.Name(), c.state.Report, c.store.facts.Sync()
}

// neo4jCopier is the state of a run beside what is on the disk.
type neo4jCopier struct {
	opts  Options
	db    *database
	store *store
	state neo4jState
	pages *pages
	lines []byte // of the rows at hand
}

func (c *neo4jCopier) run() error {
	if !c.state.Counted {
		if err := c.count(); err != nil {
			return err
		}
	}
	for c.state.Part < len(parts) {
		c.pages.begin()
		if err := c.copyPart(); err != nil {
			return err
		}
		c.state.Part, c.state.After = c.state.Part+1, nil
		if err := c.save(nil); err != nil {
			return err
		}
	}
	given := c.state.Report.Nodes + c.state.Report.Relationships
	c.state.Report.Short = max(0, c.state.Counts[0]+c.state.Counts[1]-given)
	return nil
}

// count asks how much there is to copy.
func (c *neo4jCopier) count() error {
	for i, part := range parts {
		rows, err := c.db.ask(part.count, nil)
		if err != nil {
			return err
		}
		if len(rows) == 1 && len(rows[0]) == 1 {
			c.state.Counts[i], _ = rows[0][0].(int64)
		}
	}
	if c.state.Counts[0] == 0 {
		return kg.Errorf(kg.Invalid, c.db.name, "the database has no nodes")
	}
	c.state.Counted = true
	return c.save(nil)
}

// copyPart copies the nodes or the relationships, in the order of their ids, from behind the last that is there.
func (c *neo4jCopier) copyPart() error {
	for {
		asked := time.Now()
		rows, err := c.page()
		switch {
		case err != nil && kg.KindOf(err) == kg.Cancelled:
			return err
		case isUnknownFunction(err) && !c.state.ByElement && c.state.After == nil && c.state.Part == 0:
			c.state.ByElement = true
			continue
		case err != nil && kg.KindOf(err) == kg.Failure && c.pages.failed():
			continue
		case err != nil:
			return err
		case len(rows) == 0:
			return nil
		}
		c.pages.came(len(rows), time.Since(asked))
		if err := c.take(rows); err != nil {
			return err
		}
	}
}

// take writes rows and puts them on the disk.
func (c *neo4jCopier) take(rows []row) (err error) {
	c.lines = c.lines[:0]
	for _, r := range rows {
		if c.lines, err = c.line(c.lines, r); err != nil {
			return err
		}
		id, err := idOf(r[0])
		if err != nil {
			return kg.Errorf(kg.Invalid, c.db.name, "%v", err)
		}
		c.state.After = &id
	}
	return c.save(c.lines)
}

func (c *neo4jCopier) save(page []byte) error {
	if err := c.store.save(page); err != nil {
		return err
	}
	if c.opts.Progress != nil {
		c.opts.Progress(c.state.Report.Nodes+c.state.Report.Relationships, c.state.Counts[0]+c.state.Counts[1])
	}
	return nil
}
