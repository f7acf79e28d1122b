package main

import (
	"testing"

	"github.com/spf13/cobra"
)

// A command is written as it can be typed again, without passwords.
func TestTyped(t *testing.T) {
	var got string
	cmd := &cobra.Command{Use: "predict", RunE: func(cmd *cobra.Command, _ []string) error { got = typed(cmd); return nil }}
	cmd.Flags().StringP("graph", "g", "", "")
	cmd.Flags().StringArray("relation", nil, "")
	cmd.Flags().Int("top", 10, "")
	cmd.SetArgs([]string{"--top", "3", "-g", "neo4j://me:secret@host/x", "--relation", "born in", "it's"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := `predict --graph=neo4j://host/x --relation='born in' --top=3 'it'\''s'`; got != want {
		t.Errorf("%s", got)
	}
}
