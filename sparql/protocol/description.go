package protocol

import (
	"net/http"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// description answers a request without a query: what the service can do, in the vocabulary
// of SPARQL 1.1 Service Description.
func (h *Handler) description(w http.ResponseWriter, r *http.Request) error {
	data, done := h.Source.Dataset()
	defer done()
	facts := data.Graph.NumTriples() + data.Graph.Stated.Len()
	found := &results.Results{Graph: true, Rows: results.Rows(serviceTriples(endpoint(r), facts))}
	return h.send(w, r, found)
}

// endpoint is where a client has found the service.
func endpoint(r *http.Request) string {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + r.Host + r.URL.Path
}

func serviceTriples(endpoint string, facts int) (triples [][]term.Term) {
	const sd, void, formats = "http://www.w3.org/ns/sparql-service-description#", "http://rdfs.org/ns/void#", "http://www.w3.org/ns/formats/"
	iri := func(value string) term.Term { return term.Term{Kind: term.IRI, Value: value} }
	node := func(label string) term.Term { return term.Term{Kind: term.Blank, Value: label} }
	say := func(subject term.Term, predicate string, object term.Term) {
		triples = append(triples, []term.Term{subject, iri(predicate), object})
	}
	service, dataset, graph := node("service"), node("dataset"), node("graph")
	say(service, rdf.Namespace+"type", iri(sd+"Service"))
	say(service, sd+"endpoint", iri(endpoint))
	say(service, sd+"supportedLanguage", iri(sd+"SPARQL11Query"))
	for _, name := range []string{"SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV", "Turtle", "N-Triples", "RDF_XML", "JSON-LD"} {
		say(service, sd+"resultFormat", iri(formats+name))
	}
	say(service, sd+"defaultDataset", dataset)
	say(dataset, rdf.Namespace+"type", iri(sd+"Dataset"))
	say(dataset, sd+"defaultGraph", graph)
	say(graph, rdf.Namespace+"type", iri(sd+"Graph"))
	say(graph, void+"triples", term.Integer(facts))
	return triples
}
