package dataset

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkConvert writes the public sets in the own format and reports their size.
func BenchmarkConvert(b *testing.B) {
	for _, name := range []string{"FB15k-237-betae", "FB15k-237-q2b", "NELL-q2b"} {
		b.Run(name, func(b *testing.B) {
			s := openSet(b, publicFolder(b, name), Options{})
			var dir string
			for b.Loop() {
				dir = filepath.Join(b.TempDir(), "converted")
				if err := Convert(b.Context(), s, dir, ConvertOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			for _, split := range s.Splits() {
				reportSize(b, filepath.Join(dir, split.String()+FileSuffix), split)
			}
		})
	}
}

func reportSize(b *testing.B, path string, split Split) {
	r, err := OpenReader(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	queries := 0
	for _, shape := range r.Shapes() {
		queries += shape.Queries
	}
	b.ReportMetric(float64(info.Size())/float64(queries), "B/"+split.String()+"-query")
}

// BenchmarkRead streams 100,000 queries of all shapes, with some 360 answers each.
func BenchmarkRead(b *testing.B) {
	v := testVocabulary(1000, 20)
	path := writeFile(b, NewHeader(Test, v, Provenance{}), newRandom(1, v).queries(100_000, b))
	b.ReportAllocs()
	read := 0
	for b.Loop() {
		r, err := OpenReader(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range r.Queries(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
			read++
		}
		r.Close()
	}
	b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "queries/s")
}

// BenchmarkVerify checks all answers of a public set.
func BenchmarkVerify(b *testing.B) {
	for _, name := range []string{"FB15k-237-q2b", "NELL-q2b"} {
		b.Run(name, func(b *testing.B) {
			s := openSet(b, publicFolder(b, name), Options{})
			for b.Loop() {
				verify(b, s, VerifyOptions{})
			}
		})
	}
}
