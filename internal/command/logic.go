package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/fuzzy"
)

// RegisterLogic adds --logic.
func RegisterLogic(cmd *cobra.Command, logic *fuzzy.Logic) {
	cmd.Flags().TextVar(logic, "logic", fuzzy.Product, "fuzzy `logic`: "+strings.Join(fuzzy.LogicNames(), ", "))
	CompleteFlag(cmd, "logic", fuzzy.LogicNames()...)
}
