package command

import (
	"fmt"

	"github.com/spf13/cobra"
)

// moved is a flag that was renamed or moved: whoever gives it is told what to write instead.
type moved struct{ flag, instead string }

// Moved registers a flag that answers, for one release, with what to write instead.
func Moved(cmd *cobra.Command, flag, instead string) {
	f := cmd.Flags().VarPF(moved{flag, instead}, flag, "", "")
	f.Hidden, f.NoOptDefVal = true, "-" // with a value or without
}

func (m moved) Set(string) error { return m }
func (m moved) String() string   { return "" }
func (m moved) Type() string     { return "moved" }
func (m moved) Error() string    { return fmt.Sprintf("--%s is now %s", m.flag, m.instead) }
