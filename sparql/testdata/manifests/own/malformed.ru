INSERT DATA { GRAPH ?g { <http://example.org/x> a <http://example.org/y> } }
