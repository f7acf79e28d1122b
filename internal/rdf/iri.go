package rdf

import "strings"

// iriParts is an IRI reference cut up as RFC 3986, section 3, has it. Bytes beyond
// ASCII pass through untouched, which a URL package would percent-encode.
type iriParts struct {
	scheme, authority, path, query, fragment string
	hasAuthority, hasQuery, hasFragment      bool
}

// ResolveIRI gives the IRI that a reference means relative to a base (RFC 3986,
// section 5.2). Without base the reference is the name as it is written.
func ResolveIRI(base, reference string) string {
	if base == "" || SchemeLength(reference) > 0 {
		return reference
	}
	r, b := cutIRI(reference), cutIRI(base)
	switch {
	case r.hasAuthority:
		r.path = removeDots(r.path)
	case r.path == "":
		r.path = b.path
		if !r.hasQuery {
			r.query, r.hasQuery = b.query, b.hasQuery
		}
	case strings.HasPrefix(r.path, "/"):
		r.path = removeDots(r.path)
	default:
		r.path = removeDots(mergePaths(b, r.path))
	}
	if !r.hasAuthority {
		r.authority, r.hasAuthority = b.authority, b.hasAuthority
	}
	r.scheme = b.scheme
	return r.String()
}

// SchemeLength is the length of "http:" and the like, 0 where a reference is relative.
func SchemeLength(iri string) int {
	for i, char := range iri {
		switch {
		case char == ':' && i > 0:
			return i + 1
		case IsLetter(char) || i > 0 && (IsDigit(char) || char == '+' || char == '-' || char == '.'):
		default:
			return 0
		}
	}
	return 0
}

func cutIRI(iri string) iriParts {
	var p iriParts
	n := SchemeLength(iri)
	p.scheme, iri = iri[:n], iri[n:]
	iri, p.fragment, p.hasFragment = strings.Cut(iri, "#")
	iri, p.query, p.hasQuery = strings.Cut(iri, "?")
	if rest, ok := strings.CutPrefix(iri, "//"); ok {
		p.hasAuthority = true
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		p.authority, iri = rest[:end], rest[end:]
	}
	p.path = iri
	return p
}

func (p iriParts) String() string {
	var b strings.Builder
	b.WriteString(p.scheme)
	if p.hasAuthority {
		b.WriteString("//" + p.authority)
	}
	b.WriteString(p.path)
	if p.hasQuery {
		b.WriteString("?" + p.query)
	}
	if p.hasFragment {
		b.WriteString("#" + p.fragment)
	}
	return b.String()
}

func mergePaths(base iriParts, path string) string {
	if base.hasAuthority && base.path == "" {
		return "/" + path
	}
	return base.path[:strings.LastIndexByte(base.path, '/')+1] + path
}

// removeDots resolves the segments "." and ".." (RFC 3986, section 5.2.4).
func removeDots(path string) string {
	var kept []string
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".":
			if last {
				kept = append(kept, "")
			}
		case "..":
			if len(kept) > 1 || len(kept) == 1 && kept[0] != "" {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return strings.Join(kept, "/")
}
