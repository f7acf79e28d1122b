package dataset

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// findGraph says where the facts of a folder of queries are, and in a note how
// they were found if not in the folder itself.
func findGraph(ctx context.Context, dir string, format Format) (graph, note string, err error) {
	if format == Own {
		return filepath.Join(dir, GraphFile), "", nil
	}
	if !format.isFile() && exists(filepath.Join(dir, "train.txt")) {
		return dir, "", nil
	}
	if format == Query2Box {
		if graph, err = siblingGraph(ctx, dir); err != nil {
			return "", "", err
		}
		if graph != "" {
			return graph, "the facts are those of " + graph + ", which numbers the same entities and relations", nil
		}
	}
	if format.isFile() {
		return "", "", kg.Errorf(kg.NotFound, dir, "the file holds queries and no facts; name the graph they are asked about (--graph): BetaE's folder of the same data")
	}
	return "", "", kg.Errorf(kg.NotFound, dir, "the folder holds queries and no facts; name the graph they are asked about (--graph), such as the folder of the same data with train.txt")
}

// siblingGraph looks beside a Query2Box folder for a BetaE folder of the same
// numbering, as the two releases share their facts and only the latter holds them.
// It gives "" if there is none.
func siblingGraph(ctx context.Context, dir string) (string, error) {
	entities, relations, err := readNames(dir, query2boxNames)
	if err != nil || entities == nil || relations == nil {
		return "", err
	}
	parent := filepath.Join(dir, "..")
	folders, err := os.ReadDir(parent)
	if err != nil {
		return "", err
	}
	for _, folder := range folders {
		if err := kg.Stopped(ctx); err != nil {
			return "", err
		}
		sibling := filepath.Join(parent, folder.Name())
		if !exists(filepath.Join(sibling, "train.txt")) {
			continue
		}
		theirs, theirRelations, err := readNames(sibling, betaeNames)
		// What is wrong with a folder that nobody named is not for here to report.
		if err == nil && slices.Equal(entities, theirs) && slices.EqualFunc(relations, theirRelations, sameRelation) {
			return sibling, nil
		}
	}
	return "", nil
}

// sameRelation compares names but for the way in which they mark an inverse.
func sameRelation(a, b string) bool {
	nameA, inverseA := splitDirection(a)
	nameB, inverseB := splitDirection(b)
	return nameA == nameB && inverseA == inverseB
}
