package partition

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// originKey is where the metadata of a partition says what it was made of.
const originKey = "lacuna.links"

// origin is all that the links of a folder depend on, as text.
func (w Writing) origin() (string, error) {
	sum := crc32.NewIEEE()
	var pair [8]byte
	for _, p := range w.Pairs {
		binary.LittleEndian.PutUint32(pair[:], uint32(p.Head))
		binary.LittleEndian.PutUint32(pair[4:], uint32(p.Relation))
		sum.Write(pair[:])
	}
	text, err := json.Marshal(struct {
		links.Origin
		Pairs      int    `json:"pairs"`
		PairSum    uint32 `json:"pairs_checksum"`
		Partitions int    `json:"partitions"`
	}{w.Origin, len(w.Pairs), sum.Sum32(), w.Number})
	return string(text), err
}

// survey makes the folder, if need be, and finds which partitions are there and which are lacking. Parquet files of anything else are
// refused: whoever reads the folder would read them too.
func survey(dir, origin string, partitions int) (lacking []int, kept Made, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, kept, kg.WriteError(dir, err)
	}
	there, err := parquetFiles(dir)
	if err != nil {
		return nil, kept, err
	}
	for n := range partitions {
		name := fileName(n, partitions)
		if !there[name] {
			lacking = append(lacking, n)
			continue
		}
		delete(there, name)
		one, err := look(filepath.Join(dir, name), origin)
		if err != nil {
			return nil, kept, err
		}
		kept.add(one)
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		return nil, kept, kg.Errorf(kg.Invalid, filepath.Join(dir, name), "it is none of these %d partitions: remove it, or name another folder", partitions)
	}
	return lacking, kept, nil
}

// parquetFiles are the names of those in a folder.
func parquetFiles(dir string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, kg.Errorf(kg.NotFound, "", "%v", err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".parquet" {
			names[e.Name()] = true
		}
	}
	return names, nil
}

// look takes a partition that is there for one of the same links.
func look(path, origin string) (Made, error) {
	file, err := os.Open(path)
	if err != nil {
		return Made{}, kg.Errorf(kg.NotFound, "", "%v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Made{}, err
	}
	table, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return Made{}, kg.Errorf(kg.Invalid, path, "%v: remove it to make it again", err)
	}
	if found, _ := table.Lookup(originKey); found != origin {
		return Made{}, kg.Errorf(kg.Invalid, path, "it was made of another graph, model or choice of links: remove it, or name another folder")
	}
	return Made{Partitions: 1, Kept: 1, Links: table.NumRows(), Bytes: info.Size()}, nil
}
