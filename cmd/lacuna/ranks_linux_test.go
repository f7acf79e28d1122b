package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/ranks/mpi"
)

// launchers start ranks, with what lets them do so on a machine of few cores.
var launchers = map[string][]string{"Open MPI": {"mpirun.openmpi", "--oversubscribe"}, "MPICH": {"mpiexec.hydra"}}

// overMPI runs a test by each MPI.
func overMPI(t *testing.T, test func(t *testing.T, launcher []string)) {
	for name, launcher := range launchers {
		t.Run(name, func(t *testing.T) {
			if !mpi.Built {
				t.Skip("built with the tag nocuda, which leaves MPI out: go test without it tests ranks over MPI")
			}
			if _, err := exec.LookPath(launcher[0]); err != nil {
				t.Skipf("no %s (scripts/install-mpi.sh as root installs it): ranks are not tested over it", name)
			}
			test(t, launcher)
		})
	}
}

// programOf has the command.
var programOf = map[string]string{"train": "lacuna", "eval": "lacuna", "links": "lacuna", "sample": "lacuna-lab"}

// rankCommand is a command line on n ranks, or alone for 0.
func rankCommand(t *testing.T, launcher []string, n int, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	line := append([]string{programOf[args[0]]}, args...)
	if n > 0 {
		line = append(append(append([]string{}, launcher...), "-n", fmt.Sprint(n)), line...)
	}
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	return c
}

func onRanks(t *testing.T, launcher []string, n int, args ...string) string {
	t.Helper()
	text, err := rankCommand(t, launcher, n, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%d ranks of lacuna %s: %v\n%s", n, strings.Join(args, " "), err, text)
	}
	return string(text)
}

// rings is a graph with a rule, in a file.
func rings(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "rings.tsv")
	var text strings.Builder
	for i := range 80 {
		fmt.Fprintf(&text, "n%d\tNext\tn%d\nn%d\tTwice\tn%d\nn%d\tSide\tn%d\n", i, (i+1)%80, i, (i+2)%80, i, (i*7+3)%80)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// tinyTraining takes a second.
func tinyTraining(graph, dir string, more ...string) []string {
	return append([]string{"train", "-g", graph, "-o", dir, "--device", "cpu", "--steps", "6", "--batch", "8", "--validate", "3",
		"--set", "model.dim=8", "--set", "model.layers=2", "--set", "validations=2"}, more...)
}

func parametersOf(t *testing.T, dir string) []float32 {
	t.Helper()
	m, _, err := checkpoint.Load(filepath.Join(dir, checkpoint.LastFile), plain.New())
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, m.Parameters.Len)
	m.Device().Download(values, m.Parameters.Values)
	return values
}

// Two and four ranks learn what one process learns, up to rounding, the same bits each time, and go on in each other's folders.
func TestTrainOverMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts many processes")
	}
	graph := rings(t)
	dir := t.TempDir()
	alone := filepath.Join(dir, "alone")
	onRanks(t, nil, 0, tinyTraining(graph, alone)...)
	want := parametersOf(t, alone)
	overMPI(t, func(t *testing.T, launcher []string) {
		dir := t.TempDir()
		for _, n := range []int{2, 4} {
			run := filepath.Join(dir, fmt.Sprint(n))
			output := onRanks(t, launcher, n, tinyTraining(graph, run)...)
			for _, line := range []string{fmt.Sprintf("%d ranks by ", n), "finished at step 6", "step 6: validation MRR"} {
				if strings.Count(output, line) != 1 {
					t.Errorf("expected %q once in\n%s", line, output)
				}
			}
			if off := distance(parametersOf(t, run), want); off > 1e-3 {
				t.Errorf("%d ranks: parameters are off by %.1e", n, off)
			}
		}
		again := filepath.Join(dir, "again")
		onRanks(t, launcher, 2, tinyTraining(graph, again)...)
		first, _ := os.ReadFile(filepath.Join(dir, "2", checkpoint.LastFile))
		second, _ := os.ReadFile(filepath.Join(again, checkpoint.LastFile))
		if !bytes.Equal(first, second) {
			t.Error("two ranks gave another model the second time")
		}
		output := onRanks(t, launcher, 3, tinyTraining(graph, again, "--steps", "8", "--resume")...)
		if !strings.Contains(output, "finished at step 8") {
			t.Errorf("three ranks went on:\n%s", output)
		}
	})
}

func distance(got, want []float32) float64 {
	difference, norm := 0.0, 0.0
	for i, x := range want {
		difference += math.Pow(float64(got[i]-x), 2)
		norm += math.Pow(float64(x), 2)
	}
	return math.Sqrt(difference / norm)
}

// Ctrl-C, or a launcher's SIGTERM, leaves a state to go on from.
func TestStopOverMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts many processes")
	}
	graph := rings(t)
	overMPI(t, func(t *testing.T, launcher []string) {
		run := filepath.Join(t.TempDir(), "run")
		c := rankCommand(t, launcher, 2, tinyTraining(graph, run, "--steps", "1000000", "--validate", "0")...)
		var output bytes.Buffer
		c.Stdout, c.Stderr = &output, &output
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, filepath.Join(run, checkpoint.StateFile))
		time.Sleep(time.Second)
		c.Process.Signal(syscall.SIGINT)
		err := c.Wait()
		if err == nil && !strings.Contains(output.String(), "stopped at step") {
			t.Errorf("the job ended by %v\n%s", err, &output)
		}
		text := onRanks(t, nil, 0, tinyTraining(graph, run, "--steps", "1000000", "--validate", "0", "--resume", "--max-time", "1s", "--json")...)
		if !strings.Contains(text, `"time up"`) || strings.Contains(text, `"step": 1,`) {
			t.Errorf("what was stopped goes on as\n%s", text)
		}
	})
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %s after half a minute", path)
		}
	}
}

// A rank that is stopped in its tracks is named by rank 0, which saves.
func TestStallOverMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts many processes")
	}
	graph := rings(t)
	overMPI(t, func(t *testing.T, launcher []string) {
		run := filepath.Join(t.TempDir(), "run")
		c := rankCommand(t, launcher, 2, tinyTraining(graph, run, "--steps", "20000", "--validate", "0", "--stall", "5s")...)
		c.Env = append(c.Env, "LACUNA_TEST_JOB="+run)
		var output bytes.Buffer
		c.Stdout, c.Stderr = &output, &output
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, filepath.Join(run, "trace.jsonl"))
		syscall.Kill(secondRank(t, "LACUNA_TEST_JOB="+run), syscall.SIGSTOP)
		began := time.Now()
		if err := c.Wait(); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the job ended by %v", err)
		}
		if took := time.Since(began); took > 40*time.Second {
			t.Errorf("the job ended %v after a rank hung", took)
		}
		if text := output.String(); strings.Count(text, "rank 1 (") != 1 || !strings.Contains(text, "was not heard of") || !strings.Contains(text, "resumed from step") {
			t.Errorf("rank 1 is not named:\n%s", text)
		}
	})
}

// secondRank is the process of rank 1 of a job, told by its environment.
func secondRank(t *testing.T, job string) int {
	t.Helper()
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range list {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		env := "\x00" + string(data)
		if !strings.Contains(env, "\x00"+job+"\x00") || !strings.Contains(env, "\x00PMI_RANK=1\x00") && !strings.Contains(env, "\x00OMPI_COMM_WORLD_RANK=1\x00") {
			continue
		}
		var process int
		fmt.Sscanf(path, "/proc/%d/", &process)
		return process
	}
	t.Fatal("no process of rank 1")
	return 0
}

// Ranks make the links of one process and the report of one process.
func TestLinksAndEvalOverMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts many processes")
	}
	graph, dir := rings(t), t.TempDir()
	queries := filepath.Join(dir, "queries")
	onRanks(t, nil, 0, "sample", "-g", filepath.Dir(graph), "-o", queries, "--shapes", "1p,2p,2i", "--train", "1", "--valid", "0", "--test", "0")
	links := func(file string) []string {
		return []string{"links", "-g", graph, "--device", "cpu", "--no-calibration", "--relation", "Next", "-o", file}
	}
	eval := func() []string {
		return []string{"eval", "-d", queries, "--split", "train", "--shapes", "1p,2p,2i", "--limit", "5", "--by", "sets", "--device", "cpu", "--table", "csv", "-q"}
	}
	onRanks(t, nil, 0, links(filepath.Join(dir, "alone.links"))...)
	want, _ := os.ReadFile(filepath.Join(dir, "alone.links"))
	partitions := func(folder string) []string { return append(links(folder), "--partitions", "5") }
	onRanks(t, nil, 0, partitions(filepath.Join(dir, "alone"))...)
	report := onRanks(t, nil, 0, eval()...)
	overMPI(t, func(t *testing.T, launcher []string) {
		file := filepath.Join(t.TempDir(), "ranks.links")
		onRanks(t, launcher, 3, links(file)...)
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("three ranks made other links than one process (%v)", err)
		}
		folder := filepath.Join(t.TempDir(), "ranks")
		onRanks(t, launcher, 3, partitions(folder)...)
		for i := range 5 {
			name := fmt.Sprintf("part-%05d-of-00005.parquet", i)
			want, _ := os.ReadFile(filepath.Join(dir, "alone", name))
			if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("three ranks made another %s than one process (%v)", name, err)
			}
		}
		if got := onRanks(t, launcher, 2, eval()...); got != report {
			t.Errorf("two ranks report\n%s\none process\n%s", got, report)
		}
	})
}

// Ranks draw the queries of one process.
func TestSampleOverMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts many processes")
	}
	graph, dir := rings(t), t.TempDir()
	sample := func(folder string, more ...string) []string {
		return append([]string{"sample", "-g", graph, "-o", folder, "--valid", "0", "--test", "0", "--patience", "5000"}, more...)
	}
	alone := filepath.Join(dir, "alone")
	screen := onRanks(t, nil, 0, sample(alone, "--train", "60", "--json")...)
	want, err := os.ReadFile(filepath.Join(alone, "train.queries"))
	if err != nil {
		t.Fatal(err)
	}
	overMPI(t, func(t *testing.T, launcher []string) {
		folder := filepath.Join(t.TempDir(), "ranks")
		report := onRanks(t, launcher, 3, sample(folder, "--train", "60")...)
		if got, err := os.ReadFile(filepath.Join(folder, "train.queries")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("three ranks drew %d bytes of queries, one process %d (%v):\n%s\n%s", len(got), len(want), err, report, screen)
		}
		if strings.Count(report, "300 queries in") != 1 || !strings.Contains(report, "3 ranks by ") {
			t.Errorf("three ranks say\n%s", report)
		}
		any := filepath.Join(t.TempDir(), "any")
		if report := onRanks(t, launcher, 2, sample(any, "--train", "5", "--patterns", "?x : exists y: r1(x, y) & r2(y, s1)")...); strings.Count(report, "questions in") != 1 {
			t.Errorf("two ranks say\n%s", report)
		}
	})
}

// A library that is not there, or not the launcher's, is said in a line.
func TestNoMPI(t *testing.T) {
	c := rankCommand(t, nil, 0, tinyTraining(rings(t), t.TempDir())...)
	c.Env = append(c.Env, "PMI_RANK=0", "PMI_SIZE=2", "LACUNA_MPI=/nowhere/libmpi.so")
	text, err := c.CombinedOutput()
	if want := "LACUNA_MPI=/nowhere/libmpi.so"; mpi.Built && (err == nil || !strings.Contains(string(text), want) || strings.Count(string(text), "\n") != 1) {
		t.Errorf("%v, expected one line with %q:\n%s", err, want, text)
	}
}
