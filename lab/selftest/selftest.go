// Package selftest proves a device on the machine at hand: every operation against the plain
// kernels, the golden files, whole models against the plain device, and the speed of
// each kernel. The command line prints its rows; tests of a device run it where the device is.
package selftest

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/conformance"
	"github.com/lacuna-kg/lacuna/lab/golden"
)

// Row is one comparison, or several of a kind: how far the device was off at most.
type Row struct {
	Name     string
	Cases    int
	Forward  float64 // relative norm of the difference of results; of golden files the largest of a probability
	Backward float64 // relative norm of the difference of gradients
	Failed   []error
}

// Conformance runs the cases of kernel/conformance, a row for each kind of operation.
func Conformance(ctx context.Context, device kernel.Device, tolerance conformance.Tolerance) ([]Row, error) {
	var rows []Row
	byName := map[string]int{}
	for _, c := range conformance.Cases() {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		name := kindOf(c.Name)
		i, known := byName[name]
		if !known {
			i = len(rows)
			byName[name] = i
			rows = append(rows, Row{Name: name})
		}
		report, err := c.Run(device, tolerance)
		rows[i].add(report.Forward, report.Backward, err)
		if err := device.Sync(); err != nil { // the device itself failed: nothing after it means anything
			return rows, err
		}
	}
	return rows, nil
}

func (r *Row) add(forward, backward float64, err error) {
	r.Cases++
	r.Forward, r.Backward = max(r.Forward, forward), max(r.Backward, backward)
	if err != nil {
		r.Failed = append(r.Failed, err)
	}
}

// kindOf drops what only differs in size: "layer/distmult/pna/width=8/tied" is "layer/distmult/pna".
func kindOf(name string) string {
	kind := ""
	for part := range splitPath(name) {
		if hasDigit(part) {
			break
		}
		kind = join(kind, part)
	}
	return kind
}

// Golden runs the golden files of a folder.
func Golden(ctx context.Context, device kernel.Device, dir string, limits gnn.Limits) ([]Row, error) {
	files, err := golden.Load(dir)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		row := Row{Name: "golden/" + f.Name}
		report, err := golden.Check(ctx, device, f, golden.Options{Limits: limits})
		row.add(report.Steps, report.Gradient, err)
		rows = append(rows, row)
	}
	return rows, device.Sync()
}

// Errors of all rows, each with its row's name.
func Errors(rows []Row) (errors []error) {
	for _, r := range rows {
		for _, err := range r.Failed {
			errors = append(errors, fmt.Errorf("%s: %w", r.Name, err))
		}
	}
	return errors
}
