package explain

// Visualisation is the paper's view of a benchmark query (its section "Intermediate
// Variables Visualization"): for every variable the top easy and hard entities with
// whether they are true, and a random true grounding with the filtered rank of each entity.
type Visualisation struct {
	Query     string     `json:"query"`
	Operators string     `json:"operators"`
	Shape     string     `json:"shape"`
	Split     string     `json:"split"`
	Index     int        `json:"index"` // among the queries of its shape and split
	Seed      uint64     `json:"seed"`  // of the grounding
	Variables []Variable `json:"variables"`
}

// Variable is a variable of the query, its fuzzy set judged by traversal of the full graph.
type Variable struct {
	Name        string   `json:"name"`
	Step        int      `json:"step"`     // the operation that completes it
	Operator    string   `json:"operator"` // how it is computed: "University(a)"
	Cardinality float64  `json:"cardinality"`
	TrueEasy    int      `json:"true_easy"` // how many entities the observed graph gives
	TrueHard    int      `json:"true_hard"` // how many more the full graph gives
	Easy        []Member `json:"easy"`      // top predictions that the observed graph gives
	Hard        []Judged `json:"hard"`      // top predictions that it does not give
	Truth       *Truth   `json:"truth,omitempty"`
}

// Judged is a predicted entity and whether the full graph gives it.
type Judged struct {
	Member
	True bool `json:"true"`
}

// Truth is the entity of a variable in the random true grounding.
type Truth struct {
	Member
	// Rank is the filtered rank among the entities that are not true, ties by the mean of best and worst.
	Rank float64 `json:"rank"`
}
