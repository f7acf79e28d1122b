// Package partition writes links as Parquet partitions, for the engines that join tables: DuckDB, Spark and their kin.
//
// All links from one head stand in one partition, chosen by the head's name, so that it stays the same when facts are
// added. A partition appears whole or not at all and says in its metadata what it was made of: the next call with the same keeps
// it and makes what is lacking. Of several ranks each makes whole partitions.
//
// In the flow it stands beside the text of links.Export: rows come from package links, the command says which.
package partition

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/ranks"
)

// Writing says what goes into a folder.
type Writing struct {
	Rows   *links.Rows
	Pairs  []links.Pair
	Origin links.Origin // its Top bounds the predicted links of a pair, 0 for all
	Number int          // of partitions
	Team   *ranks.Team  // nil for one rank alone
	Round  int          // rows that are made together; 0 is what suits a CPU
	// Progress, if given, is called with the number of rows that this rank has done of its own.
	Progress func(done, total int)
}

const roundOnCPU = 256

// Made is what became of a folder.
type Made struct {
	Partitions int   `json:"partitions"`
	Kept       int   `json:"kept"`  // of them those that were there
	Links      int64 `json:"links"` // all, those of kept partitions too
	Bytes      int64 `json:"bytes"`
}

func (m *Made) add(more Made) {
	m.Partitions, m.Kept, m.Links, m.Bytes = m.Partitions+more.Partitions, m.Kept+more.Kept, m.Links+more.Links, m.Bytes+more.Bytes
}

// Write makes the partitions that a folder lacks. Of several ranks rank 0 looks what is there, each makes its share, and only what
// rank 0 returns counts all of them.
func Write(ctx context.Context, dir string, w Writing) (Made, error) {
	if w.Round == 0 {
		w.Round = roundOnCPU
	}
	origin, err := w.origin()
	if err != nil {
		return Made{}, err
	}
	var made Made
	lacking, err := w.agree(ctx, func() (lacking []int, err error) {
		lacking, made, err = survey(dir, origin, w.Number)
		return lacking, err
	})
	if err != nil {
		return Made{}, err
	}
	var mine Made
	err = w.Team.TakeTime(ctx, func(ctx context.Context) (err error) {
		mine, err = w.write(ctx, dir, origin, share(lacking, w.Team))
		return err
	})
	if err != nil {
		return Made{}, err
	}
	return w.total(ctx, made, mine)
}

// agree has rank 0 tell the others what is lacking: a rank that looks for itself may see what another has just made.
func (w Writing) agree(ctx context.Context, look func() ([]int, error)) (lacking []int, err error) {
	var text []byte
	if w.Team.Leads() {
		if lacking, err = look(); err != nil {
			return nil, err
		}
		if text, err = json.Marshal(lacking); err != nil {
			return nil, err
		}
	}
	if w.Team.Size() == 1 {
		return lacking, nil
	}
	if text, err = w.Team.Broadcast(ctx, text); err != nil {
		return nil, err
	}
	lacking = nil
	return lacking, json.Unmarshal(text, &lacking)
}

// share is every so manieth of some partitions: those of a rank.
func share(of []int, team *ranks.Team) (mine []int) {
	for i := team.Rank(); i < len(of); i += team.Size() {
		mine = append(mine, of[i])
	}
	return mine
}

// total sums what all ranks made.
func (w Writing) total(ctx context.Context, kept, mine Made) (Made, error) {
	if w.Team.Size() == 1 {
		kept.add(mine)
		return kept, nil
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return Made{}, err
	}
	if _, err := w.Team.Exchange(ctx, ranks.Word{Number: uint64(w.Number)}); err != nil {
		return Made{}, err
	}
	all, err := w.Team.Gather(ctx, text)
	if err != nil {
		return Made{}, err
	}
	for _, text := range all {
		var made Made
		if err := json.Unmarshal(text, &made); err != nil {
			return Made{}, err
		}
		kept.add(made)
	}
	return kept, nil
}

// write makes some partitions, one after the other.
func (w Writing) write(ctx context.Context, dir, origin string, numbers []int) (made Made, err error) {
	pairs := w.pairsOf(numbers)
	done, total := 0, 0
	for _, n := range numbers {
		total += len(pairs[n])
	}
	for _, n := range numbers {
		path := filepath.Join(dir, fileName(n, w.Number))
		links, err := w.writeOne(ctx, path, origin, pairs[n], func(rows int) {
			if done += rows; w.Progress != nil {
				w.Progress(done, total)
			}
		})
		if err != nil {
			return made, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return made, err
		}
		made.add(Made{Partitions: 1, Links: links, Bytes: info.Size()})
	}
	return made, nil
}

// pairsOf are the pairs of some partitions, by their numbers.
func (w Writing) pairsOf(numbers []int) map[int][]links.Pair {
	pairs := map[int][]links.Pair{}
	for _, n := range numbers {
		pairs[n] = nil
	}
	g := w.Rows.Graph()
	for _, p := range w.Pairs {
		n := numberOf(g.Entities.Names.At(uint32(p.Head)), w.Number)
		if list, wanted := pairs[n]; wanted {
			pairs[n] = append(list, p)
		}
	}
	return pairs
}

// numberOf is the partition of a head, by its name.
func numberOf(head string, partitions int) int {
	hash := fnv.New64a()
	hash.Write([]byte(head))
	return int(hash.Sum64() % uint64(partitions))
}

// MostPartitions is far above what a folder is good for; names have five digits.
const MostPartitions = 99_999

func fileName(number, partitions int) string {
	return fmt.Sprintf("part-%05d-of-%05d.parquet", number, partitions)
}

// Check refuses a number of partitions that cannot be.
func Check(partitions int) error {
	if partitions < 1 || partitions > MostPartitions {
		return kg.Errorf(kg.Invalid, "", "%d partitions: expected 1 to %d", partitions, MostPartitions)
	}
	return nil
}
