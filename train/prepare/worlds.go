package prepare

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
	"github.com/lacuna-kg/lacuna/worlds"
)

// The entities of a world: small ones have room for every law, and take a device little time.
const fewestEntities, mostEntities = 30, 1000

// worldStream keeps worlds apart from what else is drawn from the same seed.
const worldStream = 0x776f726c6473

// WithWorlds adds the configuration's worlds, which depend on its seed alone. One that yields no query is left out.
func (o Options) WithWorlds(ctx context.Context, graphs []train.Graph) ([]train.Graph, error) {
	drawn, errs := make([]train.Graph, o.Config.Worlds), make([]error, o.Config.Worlds)
	parallel.Each(ctx, len(drawn), func(i int) {
		random := rand.New(rand.NewPCG(o.Config.Seed^worldStream, uint64(i)))
		drawn[i], errs[i] = o.world(ctx, i+1, worlds.Draw(random, fewestEntities, mostEntities))
	})
	for i, g := range drawn {
		if errs[i] != nil {
			return graphs, errs[i]
		}
		if g.Queries != nil {
			graphs = append(graphs, g)
		}
	}
	return graphs, kg.Stopped(ctx)
}

func (o Options) world(ctx context.Context, number int, facts *kg.Graph) (train.Graph, error) {
	g := train.Graph{Name: fmt.Sprintf("world %d", number), World: true, Facts: facts}
	return o.withQueries(ctx, g)
}
