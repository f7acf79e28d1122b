package selftest

import (
	"fmt"
	"io"
	"time"
)

// WriteRows prints comparisons as a table, failures below.
func WriteRows(w io.Writer, rows []Row) error {
	width := 34
	for _, r := range rows {
		width = max(width, len(r.Name))
	}
	if _, err := fmt.Fprintf(w, "%-*s %6s %10s %10s\n", width, "what", "cases", "forward", "backward"); err != nil {
		return err
	}
	for _, r := range rows {
		verdict := ""
		if len(r.Failed) > 0 {
			verdict = fmt.Sprintf("  %d FAILED", len(r.Failed))
		}
		if _, err := fmt.Fprintf(w, "%-*s %6d %10.1e %10.1e%s\n", width, r.Name, r.Cases, r.Forward, r.Backward, verdict); err != nil {
			return err
		}
	}
	for _, err := range Errors(rows) {
		if _, err := fmt.Fprintln(w, err); err != nil {
			return err
		}
	}
	return nil
}

// WriteSpeed prints the time per sample and that of each kernel, with the bytes it moved and
// what fraction that is of ceiling, bytes per second.
func WriteSpeed(w io.Writer, s Speed, ceiling float64) error {
	_, err := fmt.Fprintf(w, "%s, batch %d: forward %.4f ms, forward and backward %.4f ms per sample\n", s.Model, s.Samples, milliseconds(s.Forward), milliseconds(s.Training))
	if err != nil || len(s.Kernels) == 0 {
		return err
	}
	fmt.Fprintf(w, "%-26s %6s %10s %9s %8s %8s\n", "kernel", "runs", "ms", "GB", "TB/s", "ceiling")
	for _, k := range s.Kernels {
		rate := float64(k.Bytes) / k.Time.Seconds()
		if _, err := fmt.Fprintf(w, "%-26s %6d %10.3f %9.2f %8.2f %7.0f%%\n", k.Kernel, k.Runs, milliseconds(k.Time), float64(k.Bytes)/1e9, rate/1e12, 100*rate/ceiling); err != nil {
			return err
		}
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
