package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/lines"
)

// fitHelp breaks paragraphs and the descriptions of flags where the window ends; cobra leaves the latter on one line each.
func (a *App) fitHelp(root *cobra.Command) {
	width := min(a.Screen.Width, DefaultWidth)
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
func Listed(names []string) string {
	return "  " + lines.Fill(strings.Fields(strings.Join(names, ", ")), 88, "  ")
}
