package mpi

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/ranks"
)

func TestMain(m *testing.M) {
	if part := os.Getenv("LACUNA_TEST_RANK"); part != "" {
		if err := asRank(part); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// asRank is what each rank does that the tests below start.
func asRank(part string) error {
	launch, ok := Started(os.Getenv)
	if !ok {
		return fmt.Errorf("nobody started this rank: %+v", launch)
	}
	stall := 20 * time.Second // a busy machine may let a rank wait for seconds
	if part == "hangs" {
		stall = 3 * time.Second
	}
	var described string
	team, err := ranks.Start(func() (ranks.Link, error) {
		link, err := Open(launch)
		if err == nil {
			described = link.Describe()
		}
		return link, err
	}, ranks.Options{Stall: stall})
	if err != nil {
		return err
	}
	err = work(team, part)
	if err != nil { // Leave may end all processes
		fmt.Fprintln(os.Stderr, "rank:", err)
	}
	team.Leave(ranks.LastWord(err))
	if err == nil {
		fmt.Printf("rank %d of %d is done by %s\n", team.Rank(), team.Size(), described)
	}
	return err
}

func work(team *ranks.Team, part string) error {
	ctx := context.Background()
	for round := range 3 {
		for _, n := range []int{1, 1000, 3_000_000} {
			values := make([]float32, n)
			for i := range values {
				values[i] = float32(i%1000) + float32(team.Rank())/8
			}
			if _, err := team.Exchange(ctx, ranks.Word{Number: uint64(round)}); err != nil {
				return err
			}
			if err := team.Sum(ctx, values); err != nil {
				return err
			}
			for i, x := range values {
				if want := float32(team.Size())*float32(i%1000) + float32(team.Size()*(team.Size()-1))/16; x != want {
					return fmt.Errorf("the sum of %d values has %v at %d, want %v", n, x, i, want)
				}
			}
		}
	}
	got, err := team.Broadcast(ctx, bytes.Repeat([]byte{byte(team.Rank() + 1)}, 5_000_000-team.Rank()))
	if err != nil || len(got) != 5_000_000 || got[len(got)-1] != 1 {
		return fmt.Errorf("%d bytes were broadcast: %v", len(got), err)
	}
	if all, err := team.Gather(ctx, make([]byte, 1000*team.Rank())); err != nil || team.Leads() && len(all[2]) != 2000 {
		return fmt.Errorf("gathering: %v", err)
	}
	return ending(ctx, team, part)
}

// ending is what the second rank does to the others.
func ending(ctx context.Context, team *ranks.Team, part string) error {
	if team.Rank() == 1 {
		switch part {
		case "fails":
			return fmt.Errorf("the disk is full")
		case "dies":
			process, _ := os.FindProcess(os.Getpid())
			process.Kill()
		case "hangs":
			time.Sleep(time.Minute)
		case "panics":
			var nothing *ranks.Word
			defer func() { recover() }() // by Go's own handler of the signal
			nothing.Text = "x"
		}
	}
	_, err := team.Exchange(ctx, ranks.Word{Number: 99})
	return err
}

// launcher is an installed MPI.
type launcher struct {
	name, says string
	command    []string
}

var launchers = []launcher{
	{"Open MPI", "Open MPI", []string{"mpirun.openmpi", "--oversubscribe"}},
	{"MPICH", "MPICH", []string{"mpiexec.hydra"}},
}

func (l launcher) run(t *testing.T, n int, part string, env ...string) (output string, err error) {
	t.Helper()
	if _, err := exec.LookPath(l.command[0]); err != nil {
		t.Skipf("no %s (scripts/install-mpi.sh as root installs it): ranks are not tested over it", l.name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := append(append([]string{}, l.command[1:]...), "-n", fmt.Sprint(n), self)
	c := exec.CommandContext(ctx, l.command[0], args...)
	c.Env = append(os.Environ(), "LACUNA_TEST_RANK="+part, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	c.Env = append(c.Env, env...)
	text, err := c.CombinedOutput()
	return string(text), err
}

func TestRanks(t *testing.T) {
	if !Built {
		t.Skip("built with the tag nocuda, which leaves MPI out: go test without it tests ranks over MPI")
	}
	for _, l := range launchers {
		t.Run(l.name, func(t *testing.T) {
			for _, part := range []string{"", "panics"} {
				output, err := l.run(t, 3, "works "+part)
				if err != nil {
					t.Fatalf("%v\n%s", err, output)
				}
				for rank := range 3 {
					if want := fmt.Sprintf("rank %d of 3 is done by %s", rank, l.says); !strings.Contains(output, want) {
						t.Errorf("expected %q in\n%s", want, output)
					}
				}
			}
		})
	}
}

// No MPI of the standard ABI was at hand: one that is made of MPICH takes the standard's handles alone.
func TestStandardABI(t *testing.T) {
	if !Built {
		t.Skip("built with the tag nocuda, which leaves MPI out: go test without it tests ranks over MPI")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler (Debian: apt install gcc libc6-dev): the standard ABI of MPI is not tested")
	}
	library := filepath.Join(t.TempDir(), "libmpi_abi.so.0")
	if output, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, "testdata/standard_abi.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	output, err := launchers[1].run(t, 3, "works", "LACUNA_MPI="+library)
	if err != nil || strings.Count(output, "of 3 is done by Standard ABI") != 3 {
		t.Errorf("%v\n%s", err, output)
	}
}

// A rank that fails, dies or hangs ends the job within seconds, and is named.
func TestRankIsMissing(t *testing.T) {
	if !Built {
		t.Skip("built with the tag nocuda, which leaves MPI out: go test without it tests ranks over MPI")
	}
	for _, l := range launchers {
		for part, want := range map[string]string{"fails": "the disk is full", "dies": "", "hangs": "rank 1 ("} {
			t.Run(l.name+" "+part, func(t *testing.T) {
				began := time.Now()
				output, err := l.run(t, 3, part)
				took := time.Since(began)
				if err == nil || !strings.Contains(output, want) || strings.Contains(output, "is done") {
					t.Errorf("the job ended by %v, expected %q in\n%s", err, want, output)
				}
				if took > 30*time.Second {
					t.Errorf("the job ended after %v", took)
				}
				t.Logf("%v\n%s", took, output)
			})
		}
	}
}
