package app_test

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOnlyHandlersHoldADecider: no package but workflows, which declares it, the
// handlers, which hold it, and app, which hands it over, names a Decider or calls
// one of its methods.
func TestOnlyHandlersHoldADecider(t *testing.T) {
	t.Parallel()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax,
		Dir:  "..",
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	holders := map[string]bool{}
	deciding := decidingObjects(loaded)
	if len(deciding) == 0 {
		t.Fatal("workflows.Decider is not found")
	}
	for _, p := range loaded {
		for name, object := range p.TypesInfo.Uses {
			if slices.Contains(deciding, describe(object)) {
				holders[p.PkgPath] = true
				if !slices.Contains([]string{"dw/workflows", "dw/handlers", "dw/app"}, p.PkgPath) {
					t.Errorf("%s: %s uses %s", p.Fset.Position(name.Pos()), p.PkgPath, describe(object))
				}
			}
		}
	}
	if !holders["dw/handlers"] {
		t.Error("the handlers hold no Decider, so this test proves nothing")
	}
}

// decidingObjects names the interface and the methods that decide.
func decidingObjects(loaded []*packages.Package) []string {
	var out []string
	for _, p := range loaded {
		if p.PkgPath != "dw/workflows" {
			continue
		}
		for _, name := range []string{"Decider", "Service"} {
			object := p.Types.Scope().Lookup(name)
			if name == "Decider" {
				out = append(out, describe(object))
			}
			for _, method := range []string{"Decide", "MarkDone", "Acknowledge"} {
				if found, _, _ := types.LookupFieldOrMethod(types.NewPointer(object.Type()), true, p.Types, method); found != nil {
					out = append(out, describe(found))
				}
				if found, _, _ := types.LookupFieldOrMethod(object.Type(), true, p.Types, method); found != nil {
					out = append(out, describe(found))
				}
			}
		}
	}
	return out
}

// describe names an object by package, receiver and name, which are the same in
// every package that was loaded.
func describe(object types.Object) string {
	if object == nil || object.Pkg() == nil || !strings.HasPrefix(object.Pkg().Path(), "dw/") {
		return ""
	}
	if function, ok := object.(*types.Func); ok {
		return function.FullName()
	}
	return object.Pkg().Path() + "." + object.Name()
}
