package lacuna_test

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna"
)

// Where was the composer born who wrote the music of Once Upon a Time in the West? The graph does
// not say who that was. The model, which has never seen this graph, predicts it, and so a
// birthplace.
func Example() {
	ctx := context.Background()
	engine, err := lacuna.Open(ctx, "testdata/films.tsv")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	result, err := engine.Ask(ctx, "?b : exists m: MusicBy(Once Upon a Time in the West, m) & BornIn(m, b)")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range result.Shown()[:2] { // the likeliest, each with its Probability
		fmt.Printf("%s, known: %v\n", a.Entity, a.Known)
	}
	// Output:
	// Rome, known: false
	// Milan, known: false
}
