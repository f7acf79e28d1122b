package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
	"github.com/lacuna-kg/lacuna/ranks/mpi"
)

// rankFlags are those of commands that several ranks share (mpirun -n 4 lacuna train …).
type RankFlags struct {
	stall time.Duration
}

func (f *RankFlags) Register(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.stall, "stall", time.Minute, "over MPI: give up on a rank that has not answered for this long, 0 for never")
}

// together runs a command as one of the ranks that mpirun or srun started; alone, with a nil team,
// where none did. Rank 0 speaks with the user: the others are silent but for errors of their own.
func (a *App) Together(ctx context.Context, flags RankFlags, device *DeviceFlags, work func(team *ranks.Team) error) error {
	launch, started := mpi.Started(os.Getenv)
	if !started {
		return work(nil)
	}
	if flags.stall < 0 {
		return kg.Errorf(kg.Invalid, "", "--stall %v: expected a time, or 0 for never", flags.stall)
	}
	var library string
	team, err := ranks.Start(func() (ranks.Link, error) {
		link, err := mpi.Open(launch)
		if err == nil {
			library = link.Describe()
		}
		return link, err
	}, ranks.Options{Stall: flags.stall})
	if err != nil {
		return err
	}
	if !team.Leads() {
		a.Quiet = true
		a.Out.Reset(io.Discard)
	}
	device.join(team)
	a.Remark("%s by %s", count.Of(team.Size(), "rank"), library)
	return a.leave(ctx, team, work(team))
}

// join gives a rank its GPU, or its share of the cores.
func (f *DeviceFlags) join(team *ranks.Team) {
	f.turn, f.processes = team.Local()
	if f.Threads == 0 {
		f.Threads = team.Threads(runtime.GOMAXPROCS(0))
		runtime.GOMAXPROCS(f.Threads)
	}
}

// leave ends the work of this rank. What it has to say it says before, as the end of one may be the end of all.
func (a *App) leave(ctx context.Context, team *ranks.Team, err error) error {
	a.Out.Flush()
	if err != nil && a.speaks(team, err) {
		fmt.Fprintf(a.Stderr, "%s: %s%s\n", a.name, rankName(team), oneLine(err))
	}
	last := ranks.LastWord(err)
	if err == nil && ctx.Err() != nil { // training that is stopped ends in order
		last.Verdict = ranks.Stopped
	}
	team.Leave(last)
	if err == nil {
		return nil
	}
	return said{err}
}

// speaks tells whether this rank reports an error: its own, or as rank 0 that of one which cannot, or rank 0's silence.
func (a *App) speaks(team *ranks.Team, err error) bool {
	var peer *ranks.PeerError
	switch {
	case errors.As(err, &peer):
		return peer.Silent > 0 && (team.Leads() || peer.Rank == 0)
	case kg.KindOf(err) == kg.Cancelled || errors.Is(err, context.Canceled):
		return team.Leads()
	}
	return true
}

func rankName(team *ranks.Team) string {
	if team.Leads() {
		return ""
	}
	return fmt.Sprintf("rank %d on %s: ", team.Rank(), team.Members[team.Rank()].Host)
}

// said is an error that was reported.
type said struct{ error }

func (s said) Unwrap() error { return s.error }

// showDevices says what the ranks compute on.
func (a *App) ShowDevices(ctx context.Context, team *ranks.Team, device kernel.Device) error {
	all, err := team.Gather(ctx, []byte(device.Describe()))
	if err != nil || team.Size() == 1 || !team.Leads() {
		return err
	}
	var kinds []string
	count := map[string]int{}
	for _, describe := range all {
		kind := string(describe)
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		count[kind]++
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d × %s", count[kind], kind)
	}
	a.Remark("devices: %s", strings.Join(kinds, "; "))
	return nil
}
