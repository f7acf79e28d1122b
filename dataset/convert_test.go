package dataset

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func TestConvertKeepsEverything(t *testing.T) {
	for _, release := range []string{toyBetaE, toyQuery2Box} {
		original := openSet(t, release, Options{})
		dir := filepath.Join(t.TempDir(), "converted")
		if err := Convert(t.Context(), original, dir, ConvertOptions{}); err != nil {
			t.Fatal(err)
		}
		converted := openSet(t, dir, Options{})
		if converted.Format != Own || !slices.Equal(converted.Splits(), original.Splits()) {
			t.Errorf("%s became %s with %v", release, converted.Format, converted.Splits())
		}
		for _, split := range original.Splits() {
			want := byTemplate(collect(t, original.stored(t.Context(), split)))
			if got := collect(t, converted.stored(t.Context(), split)); !slices.EqualFunc(got, want, sameQuery) {
				t.Errorf("%s, %s: %d queries became %d others", release, split, len(want), len(got))
			}
		}
		if report := verify(t, converted, VerifyOptions{}); report.Agreeing != report.Queries {
			t.Errorf("%s converted: %+v", release, report)
		}
		if h := converted.source.(ownFolder).readers[Test].Header(); h.Provenance.Source != filepath.Base(release) {
			t.Errorf("provenance %+v", h.Provenance)
		}
	}
}

func TestConvertCompletes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "converted")
	if err := Convert(t.Context(), openSet(t, toyQuery2Box, Options{}), dir, ConvertOptions{Complete: true}); err != nil {
		t.Fatal(err)
	}
	queries := collect(t, openSet(t, dir, Options{}).stored(t.Context(), Test, "ip"))
	want := byKey(t, openSet(t, toyBetaE, Options{}), Test, "ip")
	if len(queries) != len(want) {
		t.Fatalf("expected %d queries, found %d", len(want), len(queries))
	}
	for _, q := range queries {
		if q.Absent != 0 {
			t.Errorf("still incomplete: %+v", q)
		}
	}
}

func TestConvertLeavesNothingWhenItFails(t *testing.T) {
	s := openSet(t, toyBetaE, Options{})
	parent := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Convert(ctx, s, filepath.Join(parent, "new"), ConvertOptions{}); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("a cancelled conversion gave %v", err)
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(filepath.Join(parent, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Convert(t.Context(), s, parent, ConvertOptions{}); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a folder with files in it gave %v", err)
	}
}
