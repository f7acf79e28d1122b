package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/kg"
)

// Main runs a program by the arguments and streams of its process, and exits.
func Main(name string, commands func(*App) *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, name, commands, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
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

// Run executes one command line of a program and gives its exit code.
func Run(ctx context.Context, name string, commands func(*App) *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := NewApp(name, stdin, stdout, stderr)
	root := commands(a)
	root.SetArgs(args)
	ctx, a.trouble = context.WithCancelCause(ctx)
	defer a.trouble(nil)
	err := root.ExecuteContext(ctx)
	a.silence.end()
	if cause := context.Cause(ctx); kg.KindOf(cause) == kg.Invalid { // a graph that was found unsound while in use
		a.Out.Flush()
		fmt.Fprintln(stderr, a.name+": "+oneLine(cause))
		return exitCodes[kg.Invalid]
	}
	if err == nil {
		err = a.Out.Flush()
	}
	if err == nil || errors.Is(err, syscall.EPIPE) { // a closed pipe (lacuna … | head) is no failure
		return exitOK
	}
	a.Out.Flush()
	if errors.As(err, new(said)) {
		return exitCodes[kg.KindOf(err)]
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, a.name+": interrupted; nothing was left half-written")
		return exitFailure
	}
	fmt.Fprintln(stderr, a.name+": "+bySettings(a.running, oneLine(err)))
	return exitCodes[kg.KindOf(err)]
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", " ")), " ")
}
