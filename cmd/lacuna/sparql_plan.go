package main

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
)

// showPlan runs a query and prints how it was run.
func (a *app) showPlan(cmd *cobra.Command, flags *sparqlFlags, text string) error {
	if flags.predict {
		return kg.Errorf(kg.Invalid, "", "--plan: only exact answers have a plan of operators (explain shows how predictions come about)")
	}
	if !flags.plan {
		return kg.Errorf(kg.Invalid, "", "--no-rewrite: expected --plan beside it")
	}
	flags.model = lacuna.Exact
	engine, err := a.openEngine(cmd, &flags.askFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := flags.remote.check(); err != nil {
		return err
	}
	data := engine.Dataset()
	data.Remote = flags.remote.remote()
	plan, err := sparql.Explain(cmd.Context(), text, data, sparql.Options{Without: flags.without})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(plan)
	}
	a.Screen.Printf("%v", plan)
	return nil
}
