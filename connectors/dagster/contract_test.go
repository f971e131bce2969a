package dagster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// vendorSchema loads the vendor's published schema, or skips.
func vendorSchema(t *testing.T) *ast.Schema {
	t.Helper()
	root := os.Getenv("DW_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	} else if !filepath.IsAbs(root) {
		root = filepath.Join("..", "..", root)
	}
	text, err := os.ReadFile(filepath.Join(root, "specs", "dagster", "schema.graphql"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the vendor's schema is missing: %v", err)
		}
		t.Skipf("the vendor's schema is missing: %v", err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "vendor", Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestQueriesFitTheVendorsSchema validates each query. The stored schema is of
// an older server: there, and only there, stopping a schedule by id is unknown.
func TestQueriesFitTheVendorsSchema(t *testing.T) {
	t.Parallel()
	schema := vendorSchema(t)
	files, err := filepath.Glob("queries/*.graphql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, errs := gqlparser.LoadQueryWithRules(schema, string(text), nil)
		if filepath.Base(file) == "stop_schedule.graphql" {
			if !strings.Contains(errs.Error(), `Unknown argument "id"`) {
				t.Errorf("%s: the known drift is gone: %v", file, errs)
			}
			continue
		}
		if len(errs) > 0 {
			t.Errorf("%s: %v", file, errs)
			continue
		}
		everyMember(t, schema, file, doc.Operations[0].SelectionSet)
	}
}

// everyMember demands __typename and a fragment for each member of each union.
func everyMember(t *testing.T, schema *ast.Schema, file string, sel ast.SelectionSet) {
	t.Helper()
	for _, s := range sel {
		f, ok := s.(*ast.Field)
		if !ok {
			continue
		}
		def := schema.Types[f.Definition.Type.Name()]
		if def == nil || def.Kind != ast.Union {
			continue
		}
		have := map[string]bool{}
		for _, inner := range f.SelectionSet {
			switch inner := inner.(type) {
			case *ast.Field:
				have[inner.Name] = true
			case *ast.InlineFragment:
				have[inner.TypeCondition] = true
			}
		}
		for _, want := range append([]string{"__typename"}, def.Types...) {
			if !have[want] {
				t.Errorf("%s: %s does not select %s", file, f.Name, want)
			}
		}
	}
}
