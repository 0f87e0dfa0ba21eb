package land

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type discard struct{ rows int }

func (d *discard) Chunk(_ context.Context, rows [][]any) error {
	d.rows += len(rows)
	return nil
}

// benchFile is about 32 MiB shaped like a feed: 12 short columns, one of them
// quoted with a delimiter in every tenth row.
func benchFile(b *testing.B) File {
	b.Helper()
	var s strings.Builder
	s.WriteString("id,day,carrier,flight,tailnum,origin,dest,air_time,distance,amount,note,changed_at\n")
	for i := 0; s.Len() < 32<<20; i++ {
		note := "nothing to say"
		if i%10 == 0 {
			note = `"late, ""very"" late"`
		}
		fmt.Fprintf(&s, "%d,2013-01-%02d,UA,%d,N%d,EWR,IAH,%d,1400,%d.%02d,%s,2013-01-01T10:00:00Z\n", i, i%28+1, i%9999, i%99999, i%600, i%1000, i%100, note)
	}
	path := filepath.Join(b.TempDir(), "bench.csv")
	if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	files, err := Scan(b.Context(), []string{path}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(files[0].Bytes)
	b.ReportAllocs()
	b.ResetTimer()
	return files[0]
}

func BenchmarkScan(b *testing.B) {
	f := benchFile(b)
	for b.Loop() {
		if _, err := Scan(b.Context(), []string{f.Path}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	f := benchFile(b)
	for b.Loop() {
		if err := Stream(b.Context(), f, Options{}, func(Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLand(b *testing.B) {
	f := benchFile(b)
	for b.Loop() {
		if _, err := Land(b.Context(), []File{f}, f.Header, Options{}, &discard{}); err != nil {
			b.Fatal(err)
		}
	}
}
