package sparql

import (
	"slices"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// wellKnown are the prefixes that everybody writes.
var wellKnown = []kg.Prefix{
	{Name: "rdf", IRI: rdf.Namespace}, {Name: "rdfs", IRI: rdf.RDFS}, {Name: "xsd", IRI: rdf.XSD},
	{Name: "owl", IRI: "http://www.w3.org/2002/07/owl#"},
}

// Prefixes are those that a query on a graph need not declare: what everybody knows, and
// those of the graph's file, which count more.
func Prefixes(g *kg.Graph) []kg.Prefix { return slices.Concat(wellKnown, g.Prefixes) }
