package main

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/kg"
)

// rootHelp shows what Lacuna is for, a line a use.
const rootHelp = `Lacuna answers logical questions on a knowledge graph that has gaps: what the graph
states, and what a model predicts that it lacks. Without -g the graph is the one that
comes with it, the Turing Award laureates; the model that comes with it answers on any.

  lacuna ask                                  a question, step by step
  lacuna ask -g films.tsv '?f : exists p: Directed(p, f) & BornIn(p, Rome)'
  lacuna explain --html why.html              why an entity answers, as a page
  lacuna sparql 'SELECT ?p { ?p :Win :Turing%20Award ; :CitizenOf :Norway }'
  lacuna predict -g films.csv --relation genre --lacking -o genres.csv
  lacuna audit -g films.csv                   facts that the rest speaks against
  lacuna info --fit -g films.tsv              what to expect of the model on your graph

  lacuna serve --demo                         a page to ask on, an HTTP API, SPARQL, MCP
  lacuna mcp -g films.tsv                     tools for a language model

  lacuna import films.ttl.gz -o films.lacuna  a snapshot that opens at once
  lacuna train -g films.tsv --from foundation -o films-model
  lacuna calibrate -g films.tsv -m films-model -o films.calibration
  lacuna eval -g films/ -m films-model        how well are facts found that were held out?`

// rootCommand is lacuna with its commands in groups, which is how the help lists them.
func (a *app) rootCommand() *cobra.Command {
	root := a.Complete(
		&cobra.Command{Use: "lacuna", Short: "Answer logical questions on knowledge graphs that have gaps", Long: rootHelp},
		command.Group{Title: "Ask and explore:", Commands: []*cobra.Command{a.askCommand(), a.explainCommand(), a.infoCommand(), a.findCommand(), a.showCommand(), a.sparqlCommand(), a.predictCommand(), a.auditCommand()}},
		command.Group{Title: "Serve:", Commands: []*cobra.Command{a.serveCommand(), a.mcpCommand(), a.factsCommand(), a.versionCommand()}},
		command.Group{Title: "Data and models:", Commands: []*cobra.Command{a.importCommand(), a.linksCommand(), a.trainCommand(), a.calibrateCommand(), a.evalCommand()}},
	)
	for _, name := range moved {
		root.AddCommand(movedCommand(name))
	}
	return root
}

// moved are commands that went to lacuna-lab; they say so for one release.
var moved = []string{"sample", "data", "bench", "selftest", "plot", "factors", "import-model", "export-model"}

func movedCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return kg.Errorf(kg.Invalid, "", "%s moved to lacuna-lab %[1]s (go run ./cmd/lacuna-lab %[1]s …)", name)
		},
	}
}
