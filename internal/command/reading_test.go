package command

import (
	"testing"

	"github.com/spf13/cobra"
)

// Settings are parted where a comma is followed by the name of one; other commas belong to the value before.
func TestReadSettings(t *testing.T) {
	for _, c := range []struct {
		text, format, columns, key string
		skip                       bool
	}{
		{"format=nt", "nt", "", "", false},
		{"columns=id,name,-,key=id,skip-bad", "auto", "id,name,-", "id", true},
		{"skip-bad=false,key=films=title,people=name", "auto", "", "films=title,people=name", false},
	} {
		var f GraphFlags
		cmd := &cobra.Command{}
		f.Register(cmd)
		if err := cmd.ParseFlags([]string{"--read", c.text}); err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if f.Format != c.format || f.Read.Columns != c.columns || f.Read.Key != c.key || f.Read.SkipBad != c.skip {
			t.Errorf("%s is read as format %q, columns %q, key %q, skip-bad %v", c.text, f.Format, f.Read.Columns, f.Read.Key, f.Read.SkipBad)
		}
	}
	for _, wrong := range []string{"", "nt", "colour=red", "skip-bad=perhaps", "key"} {
		var f GraphFlags
		cmd := &cobra.Command{}
		f.Register(cmd)
		if cmd.ParseFlags([]string{"--read", wrong}) == nil {
			t.Errorf("--read %q was taken", wrong)
		}
	}
}

// What the readers say of import's flags is said as the command takes it.
func TestReadersNameTheFlag(t *testing.T) {
	var f GraphFlags
	asking, importing := &cobra.Command{}, &cobra.Command{}
	f.Register(asking)
	f.RegisterReading(importing)
	const text = "a wide table (--key names another column, --columns hrt means triples; --skip-bad leaves them out; say --refer id=TABLE)"
	if got, want := bySettings(asking, text), "a wide table (--read key=… names another column, --read columns=hrt means triples; --read skip-bad leaves them out; say --read refer=id=TABLE)"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	if got := bySettings(importing, text); got != text {
		t.Errorf("import says %q", got)
	}
}
