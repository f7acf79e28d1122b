package main

import (
	"context"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg/endpoint"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// neo4jFlags names a Neo4j database to import.
type neo4jFlags struct{ address string }

func (f *neo4jFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "neo4j", "", "`address` of a Neo4j database to copy, bolt://user:password@host:7687/database (or set NEO4J_PASSWORD)")
}

// withPassword puts the password of the environment into an address that has a user and none.
func withPassword(address, password string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User == nil || password == "" {
		return address
	}
	if _, stated := parsed.User.Password(); stated {
		return address
	}
	parsed.User = url.UserPassword(parsed.User.Username(), password)
	return parsed.String()
}

// fetch copies the database, as a file that is then read as any other.
func (f *neo4jFlags) fetch(ctx context.Context, a *app, graph *command.GraphFlags, folder string, pageSize int) error {
	bar := a.Progress("copying the database")
	defer bar.Done()
	opts := endpoint.Options{PageSize: pageSize, Progress: func(done, total int64) { bar.Update(done, total, "") }, Waiting: a.waiting(bar)}
	path, report, err := endpoint.CopyNeo4j(ctx, withPassword(f.address, os.Getenv("NEO4J_PASSWORD")), folder, opts)
	if err != nil {
		a.brokenOff(folder, elements, report.Nodes+report.Relationships)
		return err
	}
	a.showNeo4jReport(report)
	graph.Source, graph.Format, graph.Read.Format = path, "apoc", read.APOC
	return nil
}

func elements(n int64) string {
	return count.Number(n) + " " + count.Either(n, "node or relationship", "nodes and relationships")
}

// showNeo4jReport says what a copy lacks.
func (a *app) showNeo4jReport(r endpoint.Neo4jReport) {
	if r.Resumed > 0 {
		a.Remark("%s from an earlier run", elements(r.Resumed))
	}
	if r.Short > 0 {
		a.Remark("the database counted %s more than it gave", elements(r.Short))
	}
	if r.Properties > 0 {
		a.Remark("%s of relationships left out, as triples have no place for them", count.Of(r.Properties, "property"))
	}
}
