package neural

import (
	"github.com/lacuna-kg/lacuna/internal/memory"
	"github.com/lacuna-kg/lacuna/kg"
)

// vectorsOfRelation is how many vectors a direction of a relation takes while links are predicted and fitted: states of its
// layers, those that are remembered, and what the collector has yet to free. Measured on 200,000 relations.
const vectorsOfRelation = 20

// shareOfRelations is the part of the memory that vectors of relations may take: a graph that replaces another is there
// beside it for a while.
const shareOfRelations = 3

// checkRoom refuses a graph whose relations need more memory than there is for them. What a graph's entities need is bounded by
// cuts; its relations all have vectors at once.
func (m *Model) checkRoom(g *kg.Graph, name string) error {
	return checkRoom(int64(g.NumRelations())/2, int64(m.Network.Config.Width), memory.Limit(), name)
}

func checkRoom(relations, width, limit int64, name string) error {
	need := 2 * relations * width * 4 * vectorsOfRelation
	if need <= limit/shareOfRelations {
		return nil
	}
	return kg.Errorf(kg.TooLarge, name, "%d relations, which take about %d MB to predict with: a third of the %d MB that may be used is for them. "+
		"Exact answers do not need it (-m exact)", relations, need>>20, limit>>20)
}
