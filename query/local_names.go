package query

import (
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// findIRI finds the IRIs that a short name stands for: by a prefix of the graph's file,
// ex:director, or by what follows the last '/' or '#', director, where nothing has the name itself.
func findIRI(dictionary kg.Dictionary, prefixes []kg.Prefix, name string) []uint32 {
	if prefix, local, ok := strings.Cut(name, ":"); ok {
		for _, p := range prefixes {
			if p.Name != prefix {
				continue
			}
			if id, found := dictionary.Names.Find(p.IRI + local); found {
				return []uint32{id}
			}
		}
	}
	return findLocal(dictionary, name)
}

// findLocal scans all names, as one that is not found otherwise is rare and an index of local names is not.
func findLocal(dictionary kg.Dictionary, local string) (found []uint32) {
	if local == "" || strings.ContainsAny(local, "/#") {
		return nil
	}
	for id := range uint32(dictionary.Names.Len()) {
		name := dictionary.Names.At(id)
		space, ends := strings.CutSuffix(name, local)
		if ends && (strings.HasSuffix(space, "/") || strings.HasSuffix(space, "#")) && rdf.SchemeLength(name) > 0 {
			found = append(found, id)
		}
	}
	return found
}
