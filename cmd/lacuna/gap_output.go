package main

import (
	"bufio"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// gapOutput is where the facts of predict and audit go: a table that appears whole, JSON lines, or the screen.
type gapOutput struct {
	app     *app
	path    string
	format  gaps.Format
	graph   *kg.Graph
	file    *atomicfile.File // nil for the screen
	buffer  *bufio.Writer
	table   gaps.Table // nil for the screen
	written int
	began   time.Time
	comment bool    // the origin stands before the table
	origin  *origin // nil for the screen
}

// newGapOutput checks the name of the output before anything is computed.
func (a *app) newGapOutput(flags *gapFlags) (*gapOutput, error) {
	out := &gapOutput{app: a, path: flags.output, comment: flags.comment, began: time.Now()}
	var err error
	if out.path != "" {
		out.format, err = gaps.FormatOf(out.path)
	}
	if err == nil && out.comment && (out.path == "" || out.format != gaps.CSV && out.format != gaps.TSV) {
		err = kg.Errorf(kg.Invalid, "", "a comment in the header is for tables of text: expected -o FILE.csv or -o FILE.tsv")
	}
	return out, err
}

// start opens the table.
func (o *gapOutput) start(cmd *cobra.Command, engine *lacuna.Engine, c gaps.Columns) error {
	g := engine.Graph
	o.graph = g
	if o.path == "" && !o.app.JSON {
		return nil
	}
	from, err := originOf(cmd.Context(), cmd, engine, lacuna.Links)
	if err != nil {
		return err
	}
	if o.origin = from; o.path == "" {
		return nil
	}
	if o.file, err = atomicfile.Create(o.path); err != nil {
		return kg.WriteError(o.path, err)
	}
	o.buffer = bufio.NewWriterSize(o.file, 1<<20)
	if o.comment {
		from.writeComment(o.buffer)
	}
	c.IDs = g.Entities.Labels != nil
	o.table = gaps.NewTable(o.buffer, o.format, c)
	return nil
}

func (o *gapOutput) facts(facts []gaps.Fact) error {
	for _, f := range facts {
		if err := o.line(gaps.NewLine(o.graph, f)); err != nil {
			return err
		}
	}
	if o.table == nil {
		return o.app.Out.Flush() // people watch it come
	}
	return nil
}

func (o *gapOutput) line(l gaps.Line) error {
	o.written++
	switch {
	case o.table != nil:
		return o.table.Write(l)
	case o.app.JSON:
		return o.app.PrintJSONLine(l)
	}
	o.show(l)
	return nil
}

func (o *gapOutput) show(l gaps.Line) {
	s, standing := o.app.Screen, o.app.Screen.Yellow("predicted")
	switch {
	case l.Implied != "":
		standing = s.Green("implied  ")
	case l.Stated:
		standing = s.Green("known    ")
	}
	s.Printf("%.2f  %s  %s\n", l.Probability, standing, l.Relation+"("+l.Head+", "+l.Tail+")")
	if l.Why != "" {
		s.Printf("      %s\n", s.Dim("as "+l.Why))
	}
}

// end gives the table its name where all went well, and says what became of it.
func (o *gapOutput) end(err error) error {
	keep := o.path + links.PartialSuffix
	if kg.KindOf(err) == kg.Cancelled && o.file != nil {
		o.app.Remark("%s has what is done: the same command goes on from there", keep)
	}
	if err != nil {
		return err
	}
	if o.file == nil {
		if o.written == 0 && !o.app.JSON {
			o.app.Screen.Printf("Nothing is predicted with at least the least probability (--least).\n")
		}
		return nil
	}
	if err := o.commit(); err != nil {
		return kg.WriteError(o.path, err)
	}
	if err := gaps.Discard(keep); err != nil {
		return err
	}
	if o.app.JSON {
		return o.app.PrintJSON(map[string]any{"output": o.path, "facts": o.written, "seconds": time.Since(o.began).Seconds(), "origin": o.origin})
	}
	o.app.Screen.Printf("%s: %s in %.1f s\n", o.path, count.Of(o.written, "fact"), time.Since(o.began).Seconds())
	return nil
}

func (o *gapOutput) commit() error {
	if err := o.table.Close(); err != nil {
		return err
	}
	if err := o.buffer.Flush(); err != nil {
		return err
	}
	return o.file.Commit()
}

// abort removes a table that did not get its name.
func (o *gapOutput) abort() {
	if o.file != nil {
		o.file.Abort()
	}
}

// probabilityText is a probability for people: what is near 0 is not called 0.
func probabilityText(p float32) string {
	if p < 0.005 {
		return "below 0.01"
	}
	return strconv.FormatFloat(float64(p), 'f', 2, 32)
}
