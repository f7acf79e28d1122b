package server

import "github.com/lacuna-kg/lacuna/turing"

// DemoQuestions are six on the embedded graph, each interesting for a reason of its own.
var DemoQuestions = []Prepared{
	{
		Title:    "A missing link",
		Question: turing.Question,
		Why: "Where do the Turing Award winners work whom John McCarthy taught? That Barbara Liskov is at MIT was left out of the graph " +
			"on purpose. The model finds it: it is the only prediction above one half.",
	},
	{
		Title:    "The paper's question",
		Question: turing.PaperQuestion,
		Why: "That Yann LeCun works at New York University was left out of the graph on purpose; " +
			"the model puts it first among the answers that the graph does not state.",
	},
	{
		Title:    "Negation",
		Question: "?p : Win(p, Turing Award) ∧ Field(p, Cryptography) ∧ ¬CitizenOf(p, United States)",
		Why: "Who is not a citizen of the United States, when the graph may just have forgotten to say so? " +
			"What the model holds possible takes from an answer, so that Andrew Yao is not quite certain.",
	},
	{
		Title:    "Either, or",
		Question: "?p : Win(p, Turing Award) ∧ (Field(p, Computer Networking) ∨ Field(p, Operating Systems))",
		Why: "Each side of the union has gaps: in this graph Dennis Ritchie has no link to operating systems, " +
			"and Robert Kahn and Charles Thacker have none to networking. All three are the best predictions.",
	},
	{
		Title:    "A long chain",
		Question: "?c : ∃w, b, o, t : KnownFor(Alan Kay, w) ∧ BasedOn(w, b) ∧ DevelopedAt(b, o) ∧ LocatedIn(o, t) ∧ CityIn(t, c)",
		Why: "Five steps: in which countries were the works made that Alan Kay's build on? One step is missing, so that the graph alone " +
			"has no answer. The model finds Norway, and others: doubt grows with every step.",
	},
	{
		Title:    "A count",
		Question: "?p : Field(p, Complexity Theory) ∧ Win(p, Turing Award)",
		Why: "How many laureates work in complexity theory? The graph states eleven; the sum of the probabilities says how many are to be expected, " +
			"the twelfth being Silvio Micali, whose field was left out.",
	},
}
