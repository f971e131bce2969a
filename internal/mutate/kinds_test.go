package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEveryReceiptKindHasAPatch: for each kind of receipt a patch takes its writing
// out, so that `make mutate` proves that a test would notice.
func TestEveryReceiptKindHasAPatch(t *testing.T) {
	t.Parallel()
	patches, err := filepath.Glob("../../testdata/mutations/*.patch")
	if err != nil || len(patches) == 0 {
		t.Fatalf("patches %v, %v", patches, err)
	}
	guarded := map[string]bool{}
	for _, patch := range patches {
		h, err := header(patch)
		if err != nil {
			t.Fatalf("%s: %v", patch, err)
		}
		if words := strings.Fields(h.guard); len(words) > 1 && words[0] == "receipt" {
			guarded[words[1]] = true
		}
	}
	for _, kind := range kinds(t) {
		if !guarded[kind] {
			t.Errorf("no patch of testdata/mutations has the line `Guard: receipt %s …`", kind)
		}
	}
}

// kinds reads the constants Kind… of package receipts.
func kinds(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../receipts/kinds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Kind") {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, value)
		return true
	})
	if len(out) < 20 {
		t.Fatalf("only %d kinds were found", len(out))
	}
	return out
}
