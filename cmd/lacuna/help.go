package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/lines"
)

// rootHelp shows what Lacuna is for, a line a use.
const rootHelp = `Lacuna answers logical questions on a knowledge graph that has gaps: what the graph
states, and what a model predicts that it lacks. Without -g the graph is the one that
comes with it, the Turing Award laureates; the model that comes with it answers on any.

  lacuna ask                                  the paper's question, step by step
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
  lacuna sample -g films/ -o queries          questions with answers, to measure by
  lacuna eval -d queries -m films-model       and the paper's tables`

// addCommands puts the subcommands into groups, which is how the help lists them.
func (a *app) addCommands(root *cobra.Command) {
	for i, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Ask and explore:", []*cobra.Command{a.askCommand(), a.explainCommand(), a.infoCommand(), a.findCommand(), a.showCommand(), a.sparqlCommand(), a.predictCommand(), a.auditCommand()}},
		{"Serve:", []*cobra.Command{a.serveCommand(), a.mcpCommand(), a.factsCommand(), a.versionCommand()}},
		{"Train and measure:", []*cobra.Command{a.trainCommand(), a.factorsCommand(), a.calibrateCommand(), a.evalCommand(), a.plotCommand(), a.benchCommand(), a.selftestCommand()}},
		{"Data:", []*cobra.Command{a.importCommand(), a.linksCommand(), a.importModelCommand(), a.exportModelCommand(), a.sampleCommand(), a.dataCommand()}},
	} {
		id := fmt.Sprint(i)
		root.AddGroup(&cobra.Group{ID: id, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = id
		}
		root.AddCommand(group.commands...)
	}
}

// fitHelp breaks paragraphs and the descriptions of flags where the window ends; cobra leaves the latter on one line each.
func (a *app) fitHelp(root *cobra.Command) {
	width := min(a.screen.width, defaultWidth)
	fitLong(root, width)
	wrapped := fmt.Sprintf(".FlagUsagesWrapped %d", width)
	root.SetUsageTemplate(strings.NewReplacer(
		".FlagUsages", wrapped, "Additional help topics", "More help", "Additional Commands", "Help",
	).Replace(root.UsageTemplate()))
}

// fitLong breaks what commands say of themselves, those below them included.
func fitLong(cmd *cobra.Command, width int) {
	cmd.Long = paragraphs(cmd.Long, width)
	for _, sub := range cmd.Commands() {
		fitLong(sub, width)
	}
}

// paragraphs is a text whose lines fit a width. One that has a line too long is filled anew; paragraphs with a line that is indented stay.
func paragraphs(text string, width int) string {
	parts := strings.Split(text, "\n\n")
	for i, part := range parts {
		written := strings.Split(part, "\n")
		isProse := !slices.ContainsFunc(written, func(l string) bool { return strings.HasPrefix(l, " ") })
		if isProse && slices.ContainsFunc(written, func(l string) bool { return utf8.RuneCountInString(l) > width }) {
			parts[i] = lines.Fill(strings.Fields(part), width, "")
		}
	}
	return strings.Join(parts, "\n\n")
}

// listed is names in lines that fit a terminal, indented.
func listed(names []string) string {
	return "  " + lines.Fill(strings.Fields(strings.Join(names, ", ")), 88, "  ")
}
