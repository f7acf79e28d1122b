// Command lacuna answers logical questions on knowledge graphs. Each subcommand
// has a file of its own; this one maps errors to exit codes. Only this package
// knows flags, the environment and the terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/lacuna-kg/lacuna/kg"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitInput   = 2
)

// exitCodes is the one table from kinds of errors to exit codes.
var exitCodes = map[kg.Kind]int{
	kg.Failure:   exitFailure,
	kg.Invalid:   exitInput,
	kg.NotFound:  exitInput,
	kg.TooLarge:  exitInput,
	kg.Cancelled: exitFailure,
}

// run executes one command line and gives its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := newApp(stdin, stdout, stderr)
	root := a.rootCommand()
	root.SetArgs(args)
	ctx, a.trouble = context.WithCancelCause(ctx)
	defer a.trouble(nil)
	err := root.ExecuteContext(ctx)
	if cause := context.Cause(ctx); kg.KindOf(cause) == kg.Invalid { // a graph that was found unsound while in use
		a.out.Flush()
		fmt.Fprintln(stderr, "lacuna: "+oneLine(cause))
		return exitCodes[kg.Invalid]
	}
	if err == nil {
		err = a.out.Flush()
	}
	if err == nil || errors.Is(err, syscall.EPIPE) { // a closed pipe (lacuna … | head) is no failure
		return exitOK
	}
	a.out.Flush()
	if errors.As(err, new(said)) {
		return exitCodes[kg.KindOf(err)]
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "lacuna: interrupted; nothing was left half-written")
		return exitFailure
	}
	fmt.Fprintln(stderr, "lacuna: "+oneLine(err))
	return exitCodes[kg.KindOf(err)]
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", " ")), " ")
}
