package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"dw/lineage"
	"dw/lineage/picture"
)

var updateSchemas = flag.Bool("update", false, "write docs/schemas anew")

func schemaOf[T any](t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.For[T](nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPublishedSchemas: docs/schemas says what the answers with --json look like,
// as the code has them. A field that is taken away or renamed is seen in the diff.
func TestPublishedSchemas(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*jsonschema.Schema{
		"explain": schemaOf[lineage.Explanation](t), "trace": schemaOf[traced](t), "blast": schemaOf[lineage.BlastRadius](t),
		"change": schemaOf[lineage.ChangeImpact](t), "answer": schemaOf[lineage.Answer](t), "picture": schemaOf[picture.Picture](t), "graph-diff": schemaOf[lineage.Diff](t), "search": schemaOf[[]lineage.Found](t),
		"graph-doctor": schemaOf[graphDiagnosis](t), "graph-unowned": schemaOf[[]lineage.Orphan](t),
	} {
		s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "dw "+name
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
		path := filepath.Join("..", "..", "docs", "schemas", name+".json")
		if *updateSchemas {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if published, err := os.ReadFile(path); err != nil || !bytes.Equal(published, text) {
			t.Errorf("%s is not what the code answers (%v); go test ./cmd/dw -run Schemas -update, and say it in the changelog", path, err)
		}
	}
}
