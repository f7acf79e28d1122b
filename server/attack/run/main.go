// Command run attacks a server for as long as it is told, in rounds of all cases and then by fuzzed requests, and prints what
// another client met. It starts the server itself, on this machine alone, and holds it to a limit on its memory.
//
//	go build -o lacuna ./cmd/lacuna && go run ./server/attack/run -lacuna ./lacuna -for 1h -requests 100000
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lacuna-kg/lacuna/server/attack"
)

func main() {
	var o options
	flag.StringVar(&o.lacuna, "lacuna", "./lacuna", "program to attack")
	flag.StringVar(&o.serve, "serve", "--demo", "flags of lacuna serve that say what it serves")
	flag.DurationVar(&o.lasting, "for", 20*time.Minute, "how long to attack; each case has its turn at least once, but with 0")
	flag.DurationVar(&o.each, "each", attack.Large.During, "how long a case has; the bystander is measured alone for a quarter of it before")
	flag.IntVar(&o.requests, "requests", 100_000, "fuzzed requests at the end")
	flag.Int64Var(&o.memory, "memory", 1<<30, "most bytes of memory that the server may take; it is told nine tenths as GOMEMLIMIT")
	flag.Float64Var(&o.slower, "slower", 10, "how many times slower the bystander may become")
	flag.StringVar(&o.only, "only", "", "the one case to run")
	flag.Uint64Var(&o.seed, "seed", 1, "of the fuzzed requests")
	url := flag.String("url", "", "a server that runs already: only attack it, by the case of -only, until standard input ends")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *url != "" {
		if err := attackOnly(ctx, attack.Target{URL: *url}, o.only); err != nil {
			fmt.Fprintln(os.Stderr, "attack:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

type options struct {
	lacuna, serve, only string
	lasting, each       time.Duration
	requests            int
	memory              int64
	slower              float64
	seed                uint64
}

func run(ctx context.Context, o options) error {
	server, err := start(ctx, o)
	if err != nil {
		return err
	}
	var failures []error
	for begun, round := time.Now(), 1; o.lasting > 0 && (round == 1 || time.Since(begun) < o.lasting); round++ {
		fmt.Printf("round %d\n", round)
		for _, c := range attack.Cases {
			if o.only == "" || o.only == c.Name {
				failures = append(failures, server.play(ctx, o, c))
			}
			if ctx.Err() != nil || server.gone() {
				break
			}
		}
		if ctx.Err() != nil || server.gone() {
			break
		}
	}
	if o.requests > 0 && !server.gone() && ctx.Err() == nil {
		failures = append(failures, server.fuzz(ctx, o))
	}
	return errors.Join(append(failures, server.stop())...)
}

// server is the process under attack.
type server struct {
	attack.Target
	process *exec.Cmd
	ended   chan error
	peak    atomic.Int64 // bytes of memory
}

// start runs a server and waits for its address.
func start(ctx context.Context, o options) (*server, error) {
	s := &server{process: exec.Command(o.lacuna, append([]string{"serve", "--addr", "127.0.0.1:0"}, strings.Fields(o.serve)...)...), ended: make(chan error, 1)}
	s.process.Env = append(os.Environ(), "GOMEMLIMIT="+strconv.FormatInt(o.memory/10*9, 10))
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && s.URL == "" {
		if at := strings.Index(lines.Text(), "http://"); at >= 0 {
			s.URL = strings.Fields(lines.Text()[at:])[0]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out); s.ended <- s.process.Wait() }()
	go s.watch(ctx)
	if s.URL == "" {
		return nil, fmt.Errorf("%s serves at no address", o.lacuna)
	}
	return s, nil
}

// watch notes how much memory the server takes.
func (s *server) watch(ctx context.Context) {
	for ctx.Err() == nil {
		s.peak.Store(max(s.peak.Load(), s.memory()))
		time.Sleep(20 * time.Millisecond)
	}
}

// memory is what the process has in memory, 0 where the system does not say.
func (s *server) memory() int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.process.Process.Pid))
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

func (s *server) gone() bool {
	select {
	case err := <-s.ended:
		s.ended <- cmp.Or(err, errors.New("it ended"))
		return true
	default:
		return false
	}
}

// play runs a case and says what was wrong.
func (s *server) play(ctx context.Context, o options, c attack.Case) error {
	s.peak.Store(0)
	form := attack.Large
	form.During, form.Idle, form.Attack = o.each, o.each/4, elsewhere
	out, err := attack.Run(ctx, s.Target, c, form)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	fmt.Printf("%v; the server took up to %d MB\n", out, s.peak.Load()>>20)
	var failures []error
	if failed := out.Failed(); len(failed) > 0 {
		failures = append(failures, fmt.Errorf("%s: the bystander got %s", c.Name, strings.Join(failed, ", ")))
	}
	if out.Slower() > o.slower {
		failures = append(failures, fmt.Errorf("%s: the bystander became %.1f times slower", c.Name, out.Slower()))
	}
	if peak := s.peak.Load(); peak > o.memory {
		failures = append(failures, fmt.Errorf("%s: the server took %d MB", c.Name, peak>>20))
	}
	if out.Attackers[500] > 0 {
		failures = append(failures, fmt.Errorf("%s: %d answers of 500", c.Name, out.Attackers[500]))
	}
	time.Sleep(2 * time.Second) // for what the attackers left
	return errors.Join(failures...)
}

func (s *server) fuzz(ctx context.Context, o options) error {
	s.peak.Store(0)
	begun := time.Now()
	statuses, wrong, err := attack.Fuzz(ctx, s.Target, o.requests, o.seed)
	fmt.Printf("fuzz: %d requests in %.0f s, by status %v; the server took up to %d MB\n", o.requests, time.Since(begun).Seconds(), statuses, s.peak.Load()>>20)
	if len(wrong) > 0 {
		err = errors.Join(err, errors.New(strings.Join(wrong, "\n")))
	}
	return err
}

// stop ends the server, which is to end in time.
func (s *server) stop() error {
	if s.gone() {
		return fmt.Errorf("the server ended: %w", <-s.ended)
	}
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.ended:
		return err
	case <-time.After(40 * time.Second):
		_ = s.process.Process.Kill()
		return errors.New("the server did not end within 40 s of SIGTERM")
	}
}
