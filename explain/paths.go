package explain

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// Paths are the walks over stated facts that speak for a possible fact, the weightiest first, at
// most so many and no two by the same relations. They are not checked by removing them, as those of Reasons are: who asks for
// the reasons of a whole table wants them soon.
func Paths(ctx context.Context, model *neural.Predictor, fact kg.Triple, most int) ([]Path, error) {
	link := Link{triple: fact}
	err := (&Run{Graph: model.Graph, Model: model}).reason(ctx, &link, Options{Paths: most, Draws: -1})
	return link.Paths, err
}
