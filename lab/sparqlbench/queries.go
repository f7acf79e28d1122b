package sparqlbench

import (
	_ "embed"
	"strings"
)

//go:embed queries.rq
var queryFile string

// prefixes stand before every query.
const prefixes = "PREFIX v: <" + vocabulary + ">\n" +
	"PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"

// Query is one of the benchmark.
type Query struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Queries are all of them, in the order of their file.
func Queries() []Query {
	var all []Query
	for _, part := range strings.Split(queryFile, "\n## ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		name, _, _ := strings.Cut(head, ":")
		all = append(all, Query{name, prefixes + strings.TrimSpace(body)})
	}
	return all
}
