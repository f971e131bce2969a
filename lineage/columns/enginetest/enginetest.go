// Package enginetest gives tests the SQL engine, in their own process.
package enginetest

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"dw/lineage/columns"
	"dw/lineage/columns/polyglot"
)

// Folder is where the engine is installed. Where it is not, the test is skipped,
// or fails where CI=true says that it must be there (`make sql-engine`).
func Folder(t testing.TB) string {
	t.Helper()
	folder, err := polyglot.Folder(os.Getenv)
	switch {
	case err == nil && polyglot.Installed(folder):
		return folder
	case os.Getenv("CI") == "true":
		t.Fatalf("the SQL engine is not installed: run make sql-engine (%v)", err)
	}
	t.Skip("the SQL engine is not installed: run make sql-engine")
	return ""
}

// Reader answers with the engine until the test ends.
func Reader(t testing.TB) columns.Reader {
	t.Helper()
	engine, err := polyglot.Open(context.Background(), Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return columns.Reader{Engine: inProcess{engine}}
}

// inProcess meets columns.Engine without a worker.
type inProcess struct{ engine *polyglot.Engine }

// Analyze meets columns.Engine.
func (e inProcess) Analyze(ctx context.Context, sql string, options json.RawMessage) (json.RawMessage, error) {
	answer, err := e.engine.Analyze(ctx, sql, options)
	if err != nil {
		return nil, &columns.RefusedError{Words: err.Error()}
	}
	return answer, nil
}
