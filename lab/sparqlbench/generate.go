// Package sparqlbench measures SPARQL on a synthetic library of publications, after the idea of
// SP²Bench and BSBM: documents of growing years with titles, pages, venues and authors, whose
// numbers follow power laws, citations among them, people with institutions and acquaintances, and a
// hierarchy of classes. The data is a function of its size and seed, and so are the queries'
// answers, which are compared with those of another engine.
package sparqlbench

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// Config says which library to make.
type Config struct {
	Triples int // about as many: the document that passes it is the last
	Seed    uint64
}

// The namespaces of the data, which queries declare.
const (
	vocabulary = "http://library.example/vocabulary#"
	resources  = "http://library.example/"
	rdfType    = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	subClassOf = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
	xsdInteger = "http://www.w3.org/2001/XMLSchema#integer"
	xsdDate    = "http://www.w3.org/2001/XMLSchema#date"
)

// What the data looks like: means and shares.
const (
	triplesPerDocument = 14
	firstYear, years   = 1950, 75
	perVenue           = 40 // documents of a journal of one year
	institutions       = 400
	countries          = 40
)

// Write writes the library as N-Triples and returns the number of triples.
func (c Config) Write(w io.Writer) (int, error) {
	out := bufio.NewWriterSize(w, 1<<20)
	l := &library{out: out, draw: rand.New(rand.NewPCG(c.Seed, 0)), documents: max(1, c.Triples/triplesPerDocument)}
	l.classes()
	l.places()
	for i := 0; l.triples < c.Triples; i++ {
		l.document(i)
	}
	return l.triples, out.Flush()
}

// library is one on its way.
type library struct {
	out       *bufio.Writer
	draw      *rand.Rand
	documents int // about how many there will be
	triples   int
	people    int
	authors   []int32 // the author of every authorship so far: who has many gets more
	venue     string  // the last one begun
}

func (l *library) add(subject, predicate, object string) {
	fmt.Fprintf(l.out, "<%s> <%s> %s .\n", subject, predicate, object)
	l.triples++
}

func iri(text string) string     { return "<" + text + ">" }
func integer(n int) string       { return fmt.Sprintf("\"%d\"^^<%s>", n, xsdInteger) }
func text(of ...string) string   { return `"` + strings.Join(of, " ") + `"` }
func (l *library) of(n int) bool { return l.draw.IntN(100) < n }

func (l *library) classes() {
	for _, pair := range [][2]string{
		{"Article", "Document"}, {"Inproceedings", "Document"}, {"Book", "Document"}, {"Thesis", "Book"},
		{"Document", "Resource"}, {"Person", "Agent"}, {"Agent", "Resource"}, {"Institution", "Agent"},
	} {
		l.add(vocabulary+pair[0], subClassOf, iri(vocabulary+pair[1]))
	}
}

func (l *library) places() {
	for i := range countries {
		l.add(fmt.Sprint(resources, "country/", i), vocabulary+"name", text("Country", fmt.Sprint(i)))
	}
	for i := range institutions {
		at := fmt.Sprint(resources, "institution/", i)
		l.add(at, rdfType, iri(vocabulary+"Institution"))
		l.add(at, vocabulary+"name", text("Institution", fmt.Sprint(i)))
		l.add(at, vocabulary+"country", iri(fmt.Sprint(resources, "country/", l.draw.IntN(1+l.draw.IntN(countries)))))
	}
}

// document adds one with its venue, authors and citations.
func (l *library) document(i int) {
	at := fmt.Sprint(resources, "document/", i)
	year := firstYear + min(i*years/l.documents, years-1)
	kind := []string{"Article", "Article", "Inproceedings", "Inproceedings", "Inproceedings", "Book", "Thesis"}[l.draw.IntN(7)]
	l.add(at, rdfType, iri(vocabulary+kind))
	l.add(at, vocabulary+"title", text(l.words(3+l.draw.IntN(4))...))
	l.add(at, vocabulary+"year", integer(year))
	l.add(at, vocabulary+"issued", fmt.Sprintf("\"%d-%02d-%02d\"^^<%s>", year, 1+l.draw.IntN(12), 1+l.draw.IntN(28), xsdDate))
	l.add(at, vocabulary+"pages", integer(1+l.draw.IntN(20)*l.draw.IntN(20)))
	if kind == "Article" || kind == "Inproceedings" {
		l.add(at, vocabulary+"in", iri(l.venueOf(i, year)))
	}
	if l.of(30) {
		l.add(at, vocabulary+"abstract", text(l.words(20+l.draw.IntN(40))...))
	}
	l.authorships(at)
	if i > 0 && l.of(50) {
		for range 1 + l.draw.IntN(8) {
			cited := int(float64(i) * l.draw.Float64() * l.draw.Float64()) // the old ones are cited more
			l.add(at, vocabulary+"cites", iri(fmt.Sprint(resources, "document/", cited)))
		}
	}
}

// venueOf is the journal of a document, which it begins where it is new.
func (l *library) venueOf(i, year int) string {
	venue := fmt.Sprint(resources, "venue/", i/perVenue)
	if venue != l.venue {
		l.venue = venue
		l.add(venue, rdfType, iri(vocabulary+"Venue"))
		l.add(venue, vocabulary+"title", text("Venue", fmt.Sprint(i/perVenue), fmt.Sprintf("(%d)", year)))
		l.add(venue, vocabulary+"year", integer(year))
	}
	return venue
}

// authorships gives a document its authors, and lets some of them know each other.
func (l *library) authorships(document string) {
	before := -1
	for range 1 + l.draw.IntN(1+l.draw.IntN(6)) {
		author := l.author()
		l.add(document, vocabulary+"creator", iri(fmt.Sprint(resources, "person/", author)))
		if before >= 0 && before != author && l.of(50) {
			l.add(fmt.Sprint(resources, "person/", author), vocabulary+"knows", iri(fmt.Sprint(resources, "person/", before)))
		}
		before = author
	}
}

// author is a new one, or one who wrote before.
func (l *library) author() int {
	if len(l.authors) > 0 && l.of(70) {
		author := l.authors[l.draw.IntN(len(l.authors))]
		l.authors = append(l.authors, author)
		return int(author)
	}
	at := fmt.Sprint(resources, "person/", l.people)
	l.add(at, rdfType, iri(vocabulary+"Person"))
	l.add(at, vocabulary+"name", text(l.word(), l.word(), fmt.Sprint(l.people/2))) // some have the same name
	if l.of(60) {
		l.add(at, vocabulary+"affiliation", iri(fmt.Sprint(resources, "institution/", l.draw.IntN(1+l.draw.IntN(institutions)))))
	}
	if l.of(30) {
		l.add(at, vocabulary+"mail", iri(fmt.Sprint("mailto:person", l.people, "@library.example")))
	}
	l.authors = append(l.authors, int32(l.people))
	l.people++
	return l.people - 1
}

func (l *library) words(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = l.word()
	}
	return all
}

// word is one of a few hundred, the first ones more often.
func (l *library) word() string {
	syllables := []string{"ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo"}
	n := len(syllables)
	w := syllables[l.draw.IntN(n)] + syllables[l.draw.IntN(1+l.draw.IntN(n))]
	if l.of(50) {
		w += syllables[l.draw.IntN(1+l.draw.IntN(n))]
	}
	return w
}
