package sparqltest

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ManifestTest is an entry of a manifest of the W3C's test suites.
type ManifestTest struct {
	ID                        string // the folder of its suite and its own name: sparql10/sort/dawg-sort-1
	Kind                      string // the local name of its class: QueryEvaluationTest
	Action                    string // the file that is read or asked, and what it is asked of
	Data                      []string
	Graphs                    []string // named graphs
	Result                    string
	After                     []string          // of an update: the graph that it leaves
	GraphsBefore, GraphsAfter map[string]string // of an update: files of named graphs by their names
	Regimes                   []string          // it wants what one of these entailments gives; none for the simple one
	Lax                       bool              // duplicates do not count
}

// The namespaces of manifests.
const (
	manifestNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	queryNS    = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	updateNS   = "http://www.w3.org/2009/sparql/tests/test-update#"
	regimeIRI  = "http://www.w3.org/ns/sparql-service-description#entailmentRegime"
	folderBase = "file:///"
)

// ReadManifest reads the manifest of a folder below root.
func ReadManifest(t testing.TB, root, folder string) []ManifestTest {
	t.Helper()
	facts := factsOf(t, filepath.Join(root, folder, "manifest.ttl"))
	var tests []ManifestTest
	for _, list := range facts.objects(manifestNS + "entries") {
		for _, entry := range facts.list(list) {
			tests = append(tests, facts.test(entry, folder))
		}
	}
	if len(tests) == 0 {
		t.Fatalf("%s has no entries", folder)
	}
	return tests
}

// facts are the triples of a file by subject and predicate.
type facts map[term.Term]map[string][]term.Term

// factsOf reads a file of Turtle whose relative IRIs are files of its folder.
func factsOf(t testing.TB, file string) facts {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := facts{}
	for _, triple := range Triples(Read(t, "@base <"+folderBase+"> .\n"+string(text), read.Turtle)) {
		if all[triple[0]] == nil {
			all[triple[0]] = map[string][]term.Term{}
		}
		all[triple[0]][triple[1].Value] = append(all[triple[0]][triple[1].Value], triple[2])
	}
	return all
}

// Triples are those of a graph, its stated labels among them.
func Triples(g *kg.Graph) [][]term.Term {
	var all [][]term.Term
	if g.Stated.Len() > 0 {
		for l := range g.Stated.All() {
			subject, literal := g.Stated.Name(g.Entities.Names, l.Subject), g.Stated.Name(g.Entities.Names, l.Literal)
			all = append(all, []term.Term{term.OfEntity(subject), {Kind: term.IRI, Value: kg.RDFSLabel}, term.OfEntity(literal)})
		}
	}
	for f := range g.Triples() {
		all = append(all, []term.Term{
			term.OfEntity(g.Entities.Names.At(uint32(f.Head))),
			term.OfRelation(g.Relations.Names.At(f.Relation.Base())),
			term.OfEntity(g.Entities.Names.At(uint32(f.Tail)))})
	}
	return all
}

// objects are those of a predicate, of whichever subject.
func (f facts) objects(predicate string) (all []term.Term) {
	for _, of := range f {
		all = append(all, of[predicate]...)
	}
	return all
}

func (f facts) object(subject term.Term, predicate string) term.Term {
	if all := f[subject][predicate]; len(all) > 0 {
		return all[0]
	}
	return term.Term{}
}

// list are the members of a collection.
func (f facts) list(at term.Term) (all []term.Term) {
	for at.Value != rdf.Namespace+"nil" && at.Kind != term.Unbound {
		all = append(all, f.object(at, rdf.Namespace+"first"))
		at = f.object(at, rdf.Namespace+"rest")
	}
	return all
}

func (f facts) test(entry term.Term, folder string) ManifestTest {
	file := func(t term.Term) string {
		if t.Kind == term.Unbound {
			return ""
		}
		return filepath.Join(folder, strings.TrimPrefix(t.Value, folderBase))
	}
	paths := func(all []term.Term) (files []string) {
		for _, each := range all {
			files = append(files, file(each))
		}
		return files
	}
	action := f.object(entry, manifestNS+"action")
	test := ManifestTest{
		ID:     folder + "/" + localName(entry.Value),
		Kind:   localName(f.object(entry, rdf.Namespace+"type").Value),
		Action: file(action),
		Result: file(f.object(entry, manifestNS+"result")),
		Lax:    localName(f.object(entry, manifestNS+"resultCardinality").Value) == "LaxCardinality",
	}
	if query := f.object(action, queryNS+"query"); query.Kind != term.Unbound {
		test.Action = file(query)
		test.Data = paths(f[action][queryNS+"data"])
		test.Graphs = paths(f[action][queryNS+"graphData"])
	}
	if request := f.object(action, updateNS+"request"); request.Kind != term.Unbound {
		result := f.object(entry, manifestNS+"result")
		test.Action, test.Result = file(request), ""
		test.Data, test.After = paths(f[action][updateNS+"data"]), paths(f[result][updateNS+"data"])
		named := func(of term.Term) map[string]string {
			files := map[string]string{}
			for _, node := range f[of][updateNS+"graphData"] {
				files[f.object(node, kg.RDFSLabel).Value] = file(f.object(node, updateNS+"graph"))
			}
			return files
		}
		test.GraphsBefore, test.GraphsAfter = named(action), named(result)
	}
	if regime := f.object(action, regimeIRI); regime.Kind == term.Blank {
		for _, each := range f.list(regime) {
			test.Regimes = append(test.Regimes, path.Base(each.Value))
		}
	} else if regime.Kind != term.Unbound {
		test.Regimes = []string{path.Base(regime.Value)}
	}
	return test
}

// localName is what follows the last "#" of an IRI.
func localName(iri string) string { return iri[strings.LastIndexByte(iri, '#')+1:] }
