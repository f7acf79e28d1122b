package command

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// reading has the settings of the readers as flags: import takes each, other commands all of them in one, --read.
func (f *GraphFlags) reading() *pflag.FlagSet {
	flags := pflag.NewFlagSet("reading", pflag.ContinueOnError)
	flags.StringVar(&f.Format, "format", "auto", "`format` of the triples: auto, "+strings.Join(read.FormatNames(), ", "))
	flags.StringVar(&f.Read.Columns, "columns", "", "`names` of a table's columns in order, separated by commas, - to skip one; table=a,b;… for several tables; hrt, htr, … for the order of head, relation and tail")
	flags.StringVar(&f.Read.Key, "key", "", "`column` that names the entity of a row: a+b for several, row for one entity per row; table=column,… for several tables")
	flags.StringVar(&f.Read.Separator, "separator", "", "`text` that separates several values in a cell (default: | or ; where a column has it)")
	flags.StringToStringVar(&f.Read.References, "refer", nil, "`column=table`: the column holds keys of another table")
	flags.Lookup("refer").DefValue = ""
	flags.StringVar(&f.missing, "null", "auto", "`words` for an empty cell, separated by commas; none for no word (default: NA, NULL and the like)")
	flags.BoolVar(&f.Read.SkipBad, "skip-bad", false, "leave out table rows that cannot be read")
	flags.BoolVar(&f.Read.KeepBlanks, "keep-blanks", false, "keep blanks around the cells of a table as part of the names")
	flags.StringVar(&f.Read.Encoding, "encoding", "", "`encoding` of the text, such as windows-1252, latin1 or utf-16 (default: UTF-8, or UTF-16 with a byte order mark)")
	flags.StringVar(&f.header, "header", "auto", "does the first line of a table name its columns: auto, `yes or no`")
	flags.StringVar(&f.delimiter, "delimiter", "auto", "`character` between the columns of a table: auto, tab, space or one of , ; |")
	flags.StringVar(&f.Read.Base, "base", "", "`IRI` that relative IRIs of RDF are relative to")
	flags.StringVar(&f.Read.EntityLabels, "entity-labels", "", "`file` of readable entity names (id TAB name)")
	flags.StringVar(&f.Read.RelationLabels, "relation-labels", "", "`file` of readable relation names (id TAB name)")
	return flags
}

// RegisterReading adds each setting of the readers as a flag, for import.
func (f *GraphFlags) RegisterReading(cmd *cobra.Command) {
	cmd.Flags().AddFlagSet(f.reading())
	CompleteFlag(cmd, "format", append([]string{"auto"}, read.FormatNames()...)...)
	CompleteFlag(cmd, "encoding", "utf-8", "utf-16", "windows-1252", "latin1", "windows-1250", "shift_jis", "gbk")
	CompleteFlag(cmd, "header", "auto", "yes", "no")
	CompleteFlag(cmd, "delimiter", slices.Sorted(maps.Keys(delimiters))...)
	CompleteFlag(cmd, "columns", "hrt", "htr", "rht", "trh", "thr", "rth")
}

// RegisterRead adds --read. The settings' own flags were moved into it.
func (f *GraphFlags) RegisterRead(cmd *cobra.Command) {
	settings := readSettings{f.reading()}
	cmd.Flags().Var(settings, "read", "`settings` of lacuna import, such as format=nt,key=title")
	var keys []string
	settings.flags.VisitAll(func(flag *pflag.Flag) {
		keys = append(keys, flag.Name+"=")
		if flag.Value.Type() == "bool" {
			Moved(cmd, flag.Name, "--read "+flag.Name)
		} else {
			Moved(cmd, flag.Name, "--read "+flag.Name+"=…")
		}
	})
	CompleteFlag(cmd, "read", keys...)
}

// readSettings is the value of --read: setting=value pairs separated by commas. A value may hold commas itself, as what follows
// one begins a setting only where it names one.
type readSettings struct{ flags *pflag.FlagSet }

func (s readSettings) Type() string   { return "settings" }
func (s readSettings) String() string { return "" }

func (s readSettings) Set(text string) error {
	var pairs []string
	for _, part := range strings.Split(text, ",") {
		if len(pairs) == 0 || s.begins(part) {
			pairs = append(pairs, part)
		} else {
			pairs[len(pairs)-1] += "," + part
		}
	}
	for _, pair := range pairs {
		name, value, given := strings.Cut(pair, "=")
		if !s.begins(pair) {
			return kg.Errorf(kg.Invalid, "", "expected a setting of lacuna import, such as format=nt or key=title, found %q", pair)
		}
		if !given {
			value = "true"
		}
		if err := s.flags.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// begins tells whether text is a setting with its value, or a switch by itself.
func (s readSettings) begins(text string) bool {
	name, _, given := strings.Cut(text, "=")
	flag := s.flags.Lookup(name)
	return flag != nil && (given || flag.Value.Type() == "bool")
}

// readingFlag is a flag of import in a text of the readers, perhaps with its value.
var readingFlag = regexp.MustCompile(`--(format|columns|key|separator|refer|null|encoding|header|delimiter|base|entity-labels|relation-labels)` +
	`( (?:\S+=\S+|[A-Z]+|hrt|yes|no|windows-1252)\b)?|--(?:skip-bad|keep-blanks)`)

// bySettings has a text of the readers name their settings as a command without their flags takes them.
func bySettings(cmd *cobra.Command, text string) string {
	if cmd == nil || cmd.Flags().Lookup("read") == nil {
		return text
	}
	return readingFlag.ReplaceAllStringFunc(text, func(flag string) string {
		name, value, given := strings.Cut(strings.TrimPrefix(flag, "--"), " ")
		switch {
		case given:
			return "--read " + name + "=" + value
		case name == "skip-bad" || name == "keep-blanks":
			return "--read " + name
		}
		return "--read " + name + "=…"
	})
}
