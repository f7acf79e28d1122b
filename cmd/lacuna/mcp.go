package main

import (
	"bufio"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/mcp"
	"github.com/lacuna-kg/lacuna/server"
)

func (a *app) mcpCommand() *cobra.Command {
	flags := serveFlags{limits: server.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let a language model use a graph: tools by the Model Context Protocol",
		Long: `Speak the Model Context Protocol on standard input and output, for a language
model's client to start. The model gets tools to find names, list relations, ask,
explain and change facts, so that it turns a question in plain words into a formula,
and shows the reasons of the answer. lacuna serve offers the same at /mcp.`,
		Example: `  lacuna mcp
  lacuna mcp -g films.tsv --facts films-facts

  in the configuration of a client:
  {"mcpServers": {"films": {"command": "lacuna", "args": ["mcp", "-g", "/data/films.tsv"]}}}`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mcp(cmd, &flags) },
	}
	flags.registerService(cmd)
	command.First(cmd, "graph", "model", "facts", "read-only", "empty", "links", "read", "device")
	return cmd
}

// mcp serves until the client closes its end. Standard output belongs to the protocol alone.
func (a *app) mcp(cmd *cobra.Command, flags *serveFlags) error {
	if flags.graph.Source == "-" {
		return kg.Errorf(kg.Invalid, "", "-g -: standard input belongs to the protocol, expected a file")
	}
	service, closeAll, err := a.openService(cmd.Context(), flags)
	if err != nil {
		return err
	}
	defer closeAll()
	return mcp.Serve(cmd.Context(), service, command.Version(), a.Stdin, flushed{a.Out})
}

// flushed writes through a buffer at once: a client waits for every message.
type flushed struct{ *bufio.Writer }

func (f flushed) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err != nil {
		return n, err
	}
	return n, f.Flush()
}
