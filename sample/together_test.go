package sample

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// onRanks runs work on so many ranks within this process, each with a team of its own.
func onRanks(size int, work func(team *ranks.Team) error) []error {
	network, errs := ranks.Local(size), make([]error, size)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			team, err := ranks.Start(func() (ranks.Link, error) { return network[rank], nil }, ranks.Options{})
			if err == nil {
				err = work(team)
				team.Leave(ranks.LastWord(err))
			}
			errs[rank] = err
		})
	}
	all.Wait()
	return errs
}

// Ranks write the folder of one process, to the byte, and report what it reports.
func TestRanksDrawWhatOneProcessDraws(t *testing.T) {
	s := randomSplits(1, 60, 4, 260, 40)
	counts := everyShape(300) // of some shapes there are fewer
	counts[dataset.Valid] = append([]Count{{"1p", All}}, counts[dataset.Valid][1:]...)
	o := Options{Seed: 3, Counts: counts, Patience: 5000, MaxAnswers: 50, SkipEmpty: true}
	alone := filepath.Join(t.TempDir(), "alone")
	want, err := WriteFolder(t.Context(), s, alone, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{2, 3, 5} {
		dir := filepath.Join(t.TempDir(), "ranks")
		outcomes := make([][]Outcome, size)
		errs := onRanks(size, func(team *ranks.Team) (err error) {
			o := o
			o.Team, o.Threads = team, 1+team.Rank()%2
			outcomes[team.Rank()], err = WriteFolder(t.Context(), s, dir, o)
			return err
		})
		for rank, err := range errs {
			if err != nil {
				t.Fatalf("rank %d of %d: %v", rank, size, err)
			}
		}
		if !reflect.DeepEqual(outcomes[0], want) {
			t.Errorf("%d ranks report\n%v\none process\n%v", size, outcomes[0], want)
		}
		for _, name := range names(t, alone) {
			a, errA := os.ReadFile(filepath.Join(alone, name))
			b, errB := os.ReadFile(filepath.Join(dir, name))
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("%d ranks: %s has %d bytes, of one process %d (%v, %v)", size, name, len(b), len(a), errA, errB)
			}
		}
	}
}

// A shape that rank 0 misses ends the work of all, and so does another graph.
func TestRanksFailTogether(t *testing.T) {
	o := Options{Counts: map[dataset.Split][]Count{dataset.Train: {{"2in", 5}, {"2p", 5}}}, Patience: 2000}
	lonely := kg.Build(randomSplits(1, 2, 1, 1, 0).Train.Vocabulary, []kg.Triple{{Head: 0, Relation: 0, Tail: 1}})
	check := func(what, want string, graph func(rank int) *kg.Splits) {
		errs := onRanks(2, func(team *ranks.Team) error {
			o := o
			o.Team = team
			_, err := Run(t.Context(), graph(team.Rank()), o, func(dataset.Split, string, dataset.Query) error { return nil })
			return err
		})
		for rank, err := range errs {
			if err == nil || rank == 0 && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: rank %d ends by %v, want %q", what, rank, err, want)
			}
		}
	}
	check("a shape", "yields no query of this shape", func(int) *kg.Splits { return &kg.Splits{Train: lonely} })
	check("a graph", "rank 1 on ", func(rank int) *kg.Splits { return randomSplits(uint64(rank), 60, 4, 260, 0) })
}
