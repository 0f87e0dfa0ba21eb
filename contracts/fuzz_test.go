package contracts_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sluice/contracts"
)

// FuzzLoad holds Load to its promise for any bytes: it ends soon, and either a
// contract or problems with places come back.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/bad/*.yaml", "retail/*.odcs.yaml"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		read := func(string) ([]byte, error) { return data, nil }
		c, err := contracts.Load("f.yaml", contracts.Options{ReadFile: read})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("loading %d bytes took %s", len(data), took)
		}
		var problems contracts.Problems
		switch {
		case err == nil && c == nil:
			t.Error("neither a contract nor problems")
		case err == nil:
			for _, table := range c.Published() {
				if table.Target == nil || table.Source.Table == nil || len(table.Key) == 0 || table.Staging == nil {
					t.Errorf("a published table without a name or key: %+v", table)
				}
			}
		case !errors.As(err, &problems):
			t.Errorf("an error that is not about the document: %v", err)
		default:
			for _, p := range problems {
				if p.Position.Line < 1 || p.Position.Column < 1 || p.ID == "" || p.Text == "" {
					t.Errorf("a problem without place, id or text: %+v", p)
				}
			}
		}
	})
}
