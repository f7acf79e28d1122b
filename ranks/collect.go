package ranks

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"
	"unsafe"
)

// Exchange tells all ranks a word and gives those of all, by rank. If one does not go on, the
// error is that of the first that does not, and no rank may go on; so nothing that only some ranks did is kept.
func (t *Team) Exchange(ctx context.Context, mine Word) (all []Word, err error) {
	if t == nil {
		return []Word{mine}, nil
	}
	t.do(func() {
		t.noteTime()
		all, err = t.exchange(ctx, mine)
		t.since = time.Now()
	})
	if err != nil {
		return nil, err
	}
	for rank, word := range all {
		switch {
		case word.Verdict != GoOn && rank != t.Rank():
			return all, t.peerError(rank, word, 0)
		case word.Verdict == GoOn && mine.Verdict == GoOn && word.Number != mine.Number:
			return all, fmt.Errorf("rank %d is at %d and rank %d at %d: they run different work", rank, word.Number, t.Rank(), mine.Number)
		}
	}
	return all, nil
}

// noteTime remembers how long this rank takes for its work: others may take as long.
func (t *Team) noteTime() {
	if !t.since.IsZero() && !t.taken {
		t.slowest = max(t.slowest, time.Since(t.since))
	}
	t.taken = len(t.taking) > 0
}

func (t *Team) exchange(ctx context.Context, mine Word) ([]Word, error) {
	room := t.room("words", (t.Size()+1)*wordBytes)
	at := func(i int) []byte { return room[i*wordBytes:][:wordBytes] }
	mine.encode(at(t.Size()))
	var flights flightPlan
	for peer := range t.others {
		flights.add(t.receive(peer, wordTag, at(peer)))
		flights.add(t.send(peer, wordTag, at(t.Size())))
	}
	if err := t.fly(ctx, arrivalSpin, flights); err != nil {
		return nil, err
	}
	words := make([]Word, t.Size())
	for peer := range t.others {
		words[peer] = decodeWord(at(peer))
	}
	words[t.Rank()] = mine
	return words, nil
}

// others runs over the other ranks, each beginning with its successor, so that not all turn to one at once.
func (t *Team) others(yield func(peer int) bool) {
	for i := 1; i < t.Size(); i++ {
		if !yield((t.Rank() + i) % t.Size()) {
			return
		}
	}
}

// Sum makes values their sum over all ranks, added in the order of the ranks. All call it, with as
// many values, after an exchange in which all went on.
//
// Each rank sums one part of the vector, which all others send it, and sends the sums to all: what a
// rank sends is twice the vector, however many ranks there are.
func (t *Team) Sum(ctx context.Context, values []float32) (err error) {
	if t.Size() == 1 {
		return nil
	}
	const most = MaxMessage / 4
	t.do(func() {
		for from := 0; from < len(values) && err == nil; from += most {
			err = t.sum(ctx, values[from:min(len(values), from+most)])
		}
	})
	return err
}

func (t *Team) sum(ctx context.Context, values []float32) error {
	n := len(values)
	from, to := Share(n, t.Rank(), t.Size())
	mine, parts := t.floats("own", n), t.floats("parts", t.Size()*(to-from))
	copy(mine, values)
	part := func(rank int) []float32 { return parts[rank*(to-from):][:to-from] }
	copy(part(t.Rank()), mine[from:to])
	var flights flightPlan
	for peer := range t.others {
		theirs, next := Share(n, peer, t.Size())
		flights.add(t.receive(peer, partTag, bytesOf(part(peer))))
		flights.add(t.send(peer, partTag, bytesOf(mine[theirs:next])))
	}
	if err := t.fly(ctx, dataSpin, flights); err != nil {
		return err
	}
	sums := t.floats("sums", n)
	addInOrder(sums[from:to], part, t.Size())
	flights = flightPlan{}
	for peer := range t.others {
		theirs, next := Share(n, peer, t.Size())
		flights.add(t.receive(peer, sumTag, bytesOf(sums[theirs:next])))
		flights.add(t.send(peer, sumTag, bytesOf(sums[from:to])))
	}
	if err := t.fly(ctx, dataSpin, flights); err != nil {
		return err
	}
	copy(values, sums)
	return nil
}

// addInOrder sets sum to part(0) + part(1) + …, rounded after each.
func addInOrder(sum []float32, part func(rank int) []float32, size int) {
	copy(sum, part(0))
	for rank := 1; rank < size; rank++ {
		for i, x := range part(rank) {
			sum[i] += x
		}
	}
}

// Broadcast gives all ranks the bytes of rank 0.
func (t *Team) Broadcast(ctx context.Context, data []byte) (got []byte, err error) {
	if t.Size() == 1 {
		return data, nil
	}
	got = data
	t.do(func() {
		if t.Rank() != 0 {
			got, err = t.receiveLong(ctx, 0, shareTag)
			return
		}
		for peer := range t.others {
			if err = t.sendLong(ctx, peer, shareTag, data); err != nil {
				return
			}
		}
	})
	return got, err
}

// Gather gives rank 0 the bytes of all, by rank, and the others nothing.
func (t *Team) Gather(ctx context.Context, data []byte) (all [][]byte, err error) {
	if t.Size() == 1 {
		return [][]byte{data}, nil
	}
	t.do(func() { all, err = t.gather(ctx, data) })
	return all, err
}

func (t *Team) gather(ctx context.Context, data []byte) ([][]byte, error) {
	if t.Rank() != 0 {
		return nil, t.sendLong(ctx, 0, bringTag, data)
	}
	all := make([][]byte, t.Size())
	all[0] = data
	for peer := 1; peer < t.Size(); peer++ {
		var err error
		if all[peer], err = t.receiveLong(ctx, peer, bringTag); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// gatherAll gives all ranks the bytes of all.
func (t *Team) gatherAll(ctx context.Context, data []byte) (all [][]byte, err error) {
	if all, err = t.Gather(ctx, data); err != nil {
		return nil, err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	if text, err = t.Broadcast(ctx, text); err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &all)
	return all, err
}

// sendLong sends bytes of any number, their length first.
func (t *Team) sendLong(ctx context.Context, peer, tag int, data []byte) error {
	length := t.room("length out", 8)
	binary.LittleEndian.PutUint64(length, uint64(len(data)))
	if err := t.fly(ctx, arrivalSpin, flightPlan{}.with(t.send(peer, tag, length))); err != nil {
		return err
	}
	for len(data) > 0 {
		piece := t.room("piece out", min(len(data), MaxMessage))
		data = data[copy(piece, data):]
		if err := t.fly(ctx, dataSpin, flightPlan{}.with(t.send(peer, tag, piece))); err != nil {
			return err
		}
	}
	return nil
}

func (t *Team) receiveLong(ctx context.Context, peer, tag int) ([]byte, error) {
	length := t.room("length in", 8)
	if err := t.fly(ctx, arrivalSpin, flightPlan{}.with(t.receive(peer, tag, length))); err != nil {
		return nil, err
	}
	data := make([]byte, 0, binary.LittleEndian.Uint64(length))
	for len(data) < cap(data) {
		piece := t.room("piece in", min(cap(data)-len(data), MaxMessage))
		if err := t.fly(ctx, dataSpin, flightPlan{}.with(t.receive(peer, tag, piece))); err != nil {
			return nil, err
		}
		data = append(data, piece...)
	}
	return data, nil
}

// flightPlan is messages that were begun, or why one could not be.
type flightPlan struct {
	flights []flight
	err     error
}

func (p *flightPlan) add(f flight, err error) {
	p.flights = append(p.flights, f)
	if p.err == nil {
		p.err = err
	}
}

func (p flightPlan) with(f flight, err error) flightPlan {
	p.add(f, err)
	return p
}

func (t *Team) fly(ctx context.Context, spin time.Duration, p flightPlan) error {
	if p.err != nil {
		return p.err
	}
	return t.await(ctx, spin, p.flights)
}

func (t *Team) send(to, tag int, message []byte) (flight, error) {
	r, err := t.link.Send(to, tag, message)
	return flight{to, r}, err
}

func (t *Team) receive(from, tag int, message []byte) (flight, error) {
	r, err := t.link.Receive(from, tag, message)
	return flight{from, r}, err
}

// room lends memory of the link by name, kept and grown.
func (t *Team) room(name string, bytes int) []byte {
	if len(t.rooms[name]) < bytes {
		t.rooms[name] = t.link.Memory(bytes + bytes/8)
	}
	return t.rooms[name][:bytes]
}

func (t *Team) floats(name string, n int) []float32 {
	room := t.room(name, max(4, 4*n))
	return unsafe.Slice((*float32)(unsafe.Pointer(&room[0])), n)
}

func bytesOf(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}
