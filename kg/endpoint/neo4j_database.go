package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/lacuna-kg/lacuna/kg"
)

// database asks a Neo4j database, again where that may help.
type database struct {
	*patience
	driver neo4j.DriverWithContext
	name   string // the address without user and password
	within string // the name of the database on its server, "" for the usual one
}

type row = []any

// boltSchemes are those that the driver speaks.
var boltSchemes = []string{"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"}

// dial prepares to speak with the server at the address; nothing is sent yet.
func dial(ctx context.Context, address string, opts Options) (*database, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || !slices.Contains(boltSchemes, parsed.Scheme) {
		// Without the address, as it may hold a password.
		return nil, kg.Errorf(kg.Invalid, "", "expected the address of a Neo4j database, bolt://user:password@host:7687/database or neo4j://…, with +s behind the scheme for TLS; odd characters of a password are written as in URLs (%%40 for @)")
	}
	token := neo4j.NoAuth()
	if parsed.User != nil {
		password, _ := parsed.User.Password()
		token = neo4j.BasicAuth(parsed.User.Username(), password, "")
	}
	server := parsed.Scheme + "://" + parsed.Host
	db := &database{patience: newPatience(ctx, opts), within: strings.Trim(parsed.Path, "/"), name: strings.TrimSuffix(server+"/"+strings.Trim(parsed.Path, "/"), "/")}
	if db.driver, err = neo4j.NewDriverWithContext(server, token); err != nil {
		return nil, kg.Errorf(kg.Invalid, db.name, "%s", oneLine(err.Error()))
	}
	return db, nil
}

func (d *database) close() { _ = d.driver.Close(context.WithoutCancel(d.ctx)) }

// ask runs a statement of Cypher until it is answered or there is no hope.
func (d *database) ask(statement string, parameters map[string]any) ([]row, error) {
	for attempt := 1; ; attempt++ {
		rows, err := d.try(statement, parameters)
		cause := causeOf(err)
		d.heard(cause)
		if stopped := kg.Stopped(d.ctx); err != nil && stopped != nil {
			return nil, stopped
		}
		if err == nil || !neo4j.IsRetryable(err) || !d.endures(attempt, cause) {
			return rows, d.explain(err)
		}
		if err := d.pause(attempt, 0, d.explain(err)); err != nil {
			return nil, err
		}
	}
}

// causeOf is what lies behind a failed connection, which the driver does not unwrap.
func causeOf(err error) error {
	var failed *neo4j.ConnectivityError
	if !errors.As(err, &failed) {
		return err
	}
	if strings.Contains(failed.Inner.Error(), "dial tcp") && !isUnreachable(failed.Inner) { // of which a cluster's routing leaves the text alone
		return &net.OpError{Op: "dial", Err: failed.Inner}
	}
	return failed.Inner
}

func (d *database) try(statement string, parameters map[string]any) ([]row, error) {
	session := d.driver.NewSession(d.ctx, neo4j.SessionConfig{AccessMode: neo4j.AccessModeRead, DatabaseName: d.within, FetchSize: neo4j.FetchAll})
	defer session.Close(context.WithoutCancel(d.ctx))
	result, err := session.Run(d.ctx, statement, parameters)
	if err != nil {
		return nil, err
	}
	var rows []row
	for result.Next(d.ctx) {
		rows = append(rows, result.Record().Values)
	}
	return rows, result.Err()
}

// explain makes what the driver says an error of one line: what the server refuses is the
// user's, apart from what it may do at another time or in smaller pieces.
func (d *database) explain(err error) error {
	if err == nil {
		return nil
	}
	var said *neo4j.Neo4jError
	kind, text := kg.Failure, err.Error()
	if errors.As(err, &said) {
		text = said.Msg
		if strings.Contains(said.Code, ".ClientError.") {
			kind = kg.Invalid
		}
	}
	var refused *neo4j.InvalidAuthenticationError
	if errors.As(err, &refused) {
		kind, text = kg.Invalid, "user or password are refused"
	}
	return &neo4jError{kg.Errorf(kind, d.name, "%s", oneLine(text)), said}
}

// neo4jError is an error of a database with what the server said, where it did.
type neo4jError struct {
	error
	said *neo4j.Neo4jError
}

func (e *neo4jError) Unwrap() error { return e.error }

// isUnknownFunction tells that the database has no numbers as ids any more.
func isUnknownFunction(err error) bool {
	var known *neo4jError
	return errors.As(err, &known) && known.said != nil && strings.HasPrefix(known.said.Code, "Neo.ClientError.Statement.Syntax")
}

// page asks for the next rows of the part at hand.
func (c *neo4jCopier) page() ([]row, error) {
	after, parameters := "", map[string]any{"page": int64(c.pages.size)}
	if c.state.After != nil {
		after, parameters["after"] = " WHERE ID(n) > $after", c.state.After.value()
	}
	statement := fmt.Sprintf(parts[c.state.Part].page, after)
	function := "id("
	if c.state.ByElement {
		function = "elementId("
	}
	return c.db.ask(strings.ReplaceAll(statement, "ID(", function), parameters)
}
