package plan_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// A question becomes a postfix program; its instructions know the variables that they complete.
func ExampleNewQuestion() {
	const films = "Fellini\tDirected\tRoma\nRossellini\tDirected\tStromboli\nRossellini\tBornIn\tRome\n"
	splits, err := read.Stream(context.Background(), strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	names := splits.Train.Vocabulary
	q, err := query.Parse("?f : exists p: BornIn(p, Rome) & !Directed(p, Roma) & Directed(p, f)")
	if err != nil {
		log.Fatal(err)
	}
	question, err := plan.NewQuestion(q, names, plan.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(query.FormatOperators(question.Expr, names))
	for i, instruction := range question.Program.Code {
		line := question.Program.Text(i, names)
		if instruction.Variable != "" {
			line += ": " + instruction.Variable + " is complete"
		}
		fmt.Println(i, line)
	}
	fmt.Println(question.Program.Projections(), "projections, at most", question.Program.Depth, "sets at a time")
	// Output:
	// P[Directed](C(P[BornIn^-1]({Rome}), N(P[Directed^-1]({Roma}))))
	// 0 entity   Rome
	// 1 project  BornIn^-1
	// 2 entity   Roma
	// 3 project  Directed^-1
	// 4 not
	// 5 and: p is complete
	// 6 project  Directed: f is complete
	// 3 projections, at most 2 sets at a time
}
