// Skips reads what "go test -json" says, prints what go test itself would print, and
// keeps the list of the tests that were skipped, by what they need: go test says
// nothing of them, and a clone where half of the proofs were passed over looks the
// same as one where all passed.
//
//	go test -json ./... | go run ./internal/skips -list FILE
//
// The list is added to the file or, without one, printed at the end. The exit status
// of the tests is that of go test; a shell keeps it by "set -o pipefail".
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	list := flag.String("list", "", "file to add the list to, instead of printing it")
	verbose := flag.Bool("v", false, "print all output of the tests, as go test -v does")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *list, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, list string, verbose bool) error {
	r := newReport(out, verbose)
	if err := r.read(in); err != nil {
		return err
	}
	if list == "" {
		return r.writeSkips(out)
	}
	file, err := os.OpenFile(list, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := r.writeSkips(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
