package endpoint

import "time"

// pages says how many rows to ask for at a time. An endpoint sorts all rows of a predicate for every page, so
// that long pages are copied faster; but public ones refuse what is too much at once. Where the user states no size, it
// grows as long as full pages come quickly, and shrinks where one fails.
type pages struct {
	start int // to begin a predicate with
	size  int
	most  int // it grows no further
}

const (
	defaultPage = 10_000
	largestPage = 160_000 // some 50 MB of JSON
	smallPage   = 100     // below which a page is not halved any more
	quickly     = 2 * time.Second
)

func newPages(stated int) *pages {
	if stated > 0 {
		return &pages{stated, stated, stated}
	}
	return &pages{defaultPage, defaultPage, largestPage}
}

// begin is with the next predicate: it may have fewer rows than one that was too much for the endpoint.
func (p *pages) begin() {
	if p.size < p.start {
		p.size, p.most = p.start, p.start
	}
}

// came notes a page of so many rows.
func (p *pages) came(rows int, took time.Duration) {
	if rows == p.size && took < quickly {
		p.size = min(2*p.size, p.most)
	}
}

// failed makes pages smaller, if they can be.
func (p *pages) failed() (smaller bool) {
	if p.size <= smallPage {
		return false
	}
	p.size /= 2
	p.most = p.size // what is too much at once may do in parts
	return true
}
