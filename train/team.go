package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// A team trains as one rank would: every rank prepares the whole batch of a step, dropout and
// weights included, and computes the gradient of its share of the queries; the gradients are summed
// in the order of the ranks, and each takes the same step of Adam. What is random is a function of seed
// and step alone, so ranks need not tell each other more than that. Rank 0 measures, saves and reports.

// share cuts a batch down to the queries of a rank. Dropout and weights stay those of the whole batch.
func (b *batch) share(rank, size int) {
	if size == 1 {
		return
	}
	mine := sharesOf(b.work(), size)[rank]
	if b.pieces != nil {
		b.pieces = chosen(b.pieces, mine)
		return
	}
	b.programs, b.weights = chosen(b.programs, mine), chosen(b.weights, mine)
	b.answers = rowsOf(b.answers, mine)
	if b.known.Len() > 0 {
		b.known = rowsOf(b.known, mine)
	}
}

// work says what each query of a batch costs, in projections.
func (b *batch) work() (work []int) {
	for _, piece := range b.pieces {
		work = append(work, piece.programs[0].Projections())
	}
	for _, program := range b.programs {
		work = append(work, program.Projections())
	}
	return work
}

// sharesOf parts queries among ranks so that all have as much to do: the longest first, each to the rank that has the least so far. A step
// takes as long as the rank that has the most, and of two halves by number the longer has 5 % more projections than the mean.
func sharesOf(work []int, size int) [][]int {
	order := make([]int, len(work))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(work[b], work[a]) })
	shares, load := make([][]int, size), make([]int, size)
	for _, i := range order {
		least := 0
		for rank := range load {
			if load[rank] < load[least] {
				least = rank
			}
		}
		shares[least], load[least] = append(shares[least], i), load[least]+max(1, work[i])
	}
	for _, share := range shares {
		slices.Sort(share)
	}
	return shares
}

// chosen are some of a list.
func chosen[T any](list []T, which []int) []T {
	some := make([]T, len(which))
	for k, i := range which {
		some[k] = list[i]
	}
	return some
}

func rowsOf(l kernel.Lists, which []int) kernel.Lists {
	rows := make([][]int32, 0, len(which))
	for _, i := range which {
		rows = append(rows, l.Row(i))
	}
	return kernel.NewLists(rows)
}

// checkTeam refuses ranks that would have nothing to do.
func (o Options) checkTeam() error {
	if n := o.Team.Size(); o.Config.Batch < n {
		return kg.Errorf(kg.Invalid, "train", "a batch of %s for %s: expected one a rank or more", count.Of(o.Config.Batch, "query"), count.Of(n, "rank"))
	}
	return nil
}

// sumUp makes the gradient and the loss of a rank's share those of the whole batch. failed is why this
// rank has none, which ends the step on all: a rank that took a step took it with all others.
func (l *learner) sumUp(ctx context.Context, step int, loss float64, failed error) (float64, error) {
	if l.team.Size() == 1 {
		return loss, failed
	}
	if failed == nil {
		failed = l.device.Sync()
	}
	words, err := l.team.Exchange(ctx, word(ctx, step, loss, failed))
	if err := firstOf(failed, err); err != nil {
		return 0, err
	}
	gradient := l.onHost(l.grads)
	if err := l.team.Sum(ctx, gradient); err != nil {
		return 0, err
	}
	l.device.Upload(l.grads.Values, gradient)
	loss = 0
	for _, w := range words {
		loss += w.Value
	}
	return loss, nil
}

func firstOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// word is what a rank has to say after its share of a step.
func word(ctx context.Context, step int, loss float64, failed error) ranks.Word {
	switch {
	case ctx.Err() != nil:
		return ranks.Word{Verdict: ranks.Stopped, Text: fmt.Sprint(context.Cause(ctx))}
	case failed != nil:
		return ranks.Word{Verdict: ranks.Failed, Text: failed.Error()}
	}
	return ranks.Word{Number: uint64(step), Value: loss}
}

// onHost downloads a slab into memory that serves every step.
func (l *learner) onHost(slab gnn.Slab) []float32 {
	l.host = slices.Grow(l.host[:0], slab.Values.Len())[:slab.Values.Len()]
	l.device.Download(l.host, slab.Values)
	return l.host
}

// settle makes the parameters of all ranks those of rank 0, where different devices may round differently. Rank 0
// has taken its step whoever hears of it; who is missing shows in the next.
func (l *learner) settle(ctx context.Context) error {
	if !l.mixed {
		return nil
	}
	err := l.spread(ctx, l.model.Parameters)
	if l.team.Leads() {
		return nil
	}
	return err
}

// spread makes a slab that of rank 0 on all ranks.
func (l *learner) spread(ctx context.Context, slab gnn.Slab) error {
	values := l.onHost(slab)
	data, err := l.team.Broadcast(ctx, bytesOf(values))
	if err != nil {
		return err
	}
	if len(data) != 4*len(values) {
		return kg.Errorf(kg.Failure, "train", "rank 0 has %d bytes of parameters, this one %d", len(data), 4*len(values))
	}
	copy(bytesOf(values), data)
	l.device.Upload(slab.Values, values)
	return nil
}

func bytesOf(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}

// follow makes room for the state of rank 0.
func (t *trainer) follow(ctx context.Context) error {
	m, err := t.Config.Model.New(t.Device, t.Graphs[0].Facts.NumRelations(), t.Config.Seed)
	if err != nil {
		return err
	}
	state := &checkpoint.State{Model: m, First: m.NewSlab(), Second: m.NewSlab()}
	if t.Config.Average > 0 {
		state.Average = m.NewSlab()
	}
	return t.learn(ctx, state)
}

// setup is what ranks must have alike.
type setup struct {
	Work   string // a digest of graphs, queries and configuration
	Device string
}

// join brings all ranks to where rank 0 stands, which began or resumed the run. failed is why this rank cannot.
func (t *trainer) join(ctx context.Context, failed error) error {
	if t.Team.Size() == 1 {
		return failed
	}
	config, _ := json.Marshal(t.Config) // plain numbers and strings
	hash := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %s %s %s", config, t.described.Vocabulary, t.described.Facts, t.record.Queries, t.Version, t.Commit))
	mine, _ := json.Marshal(setup{hex.EncodeToString(hash[:8]), t.Device.Name()})
	w := word(ctx, 0, 0, failed)
	if w.Verdict == ranks.GoOn {
		w.Text = string(mine)
	}
	words, err := t.Team.Exchange(ctx, w)
	if err := firstOf(failed, err); err != nil {
		return err
	}
	if err := t.compare(words); err != nil {
		return err
	}
	return t.receiveState(ctx)
}

// compare refuses ranks that train something else, and notes where their devices differ.
func (t *trainer) compare(words []ranks.Word) error {
	all := make([]setup, len(words))
	for rank, w := range words {
		if err := json.Unmarshal([]byte(w.Text), &all[rank]); err != nil {
			return err
		}
	}
	for rank, s := range all {
		if s.Work != all[0].Work {
			return kg.Errorf(kg.Invalid, "train", "rank %d on %s trains something else than rank 0: expected the same graphs, queries, configuration and version of Lacuna on all ranks", rank, t.Team.Members[rank].Host)
		}
		t.mixed = t.mixed || s.Device != all[0].Device
	}
	return nil
}

// receiveState makes the record and the numbers those of rank 0.
func (t *trainer) receiveState(ctx context.Context) error {
	text, err := json.Marshal(t.record)
	if err != nil {
		return err
	}
	if text, err = t.Team.Broadcast(ctx, text); err != nil {
		return err
	}
	if t.record, err = parseRecord(text, t.Dir); err != nil {
		return err
	}
	t.record.Config = t.Config
	slabs := []gnn.Slab{t.model.Parameters, t.first, t.second}
	if t.average.Values != nil {
		slabs = append(slabs, t.average.Slab)
	}
	for _, slab := range slabs {
		if err := t.spread(ctx, slab); err != nil {
			return err
		}
	}
	t.model.Changed()
	return t.device.Sync()
}

// assist takes part in a validation of rank 0, which alone learns the score. One of the model that the run began with leaves no
// mark, as it is of step 0.
func (t *trainer) assist(ctx context.Context) error {
	if _, err := t.validated(ctx); err != nil {
		return err
	}
	t.record.Validated = t.record.Step
	return nil
}

// endAll has rank 0 tell the others that time is up.
func (t *trainer) endAll(ctx context.Context) error {
	if t.Team.Size() == 1 {
		return nil
	}
	_, err := t.Team.Exchange(ctx, ranks.Word{Verdict: ranks.Finished, Text: string(TimeUp)})
	return err
}

// endedBy tells how another rank ended the run, if one did.
func endedBy(err error) (verdict ranks.Verdict, byPeer bool) {
	var peer *ranks.PeerError
	if !errors.As(err, &peer) {
		return ranks.GoOn, false
	}
	if peer.Word.Verdict == ranks.GoOn { // it was lost
		return ranks.Failed, true
	}
	return peer.Word.Verdict, true
}
