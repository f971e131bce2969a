package tableau_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
	"dw/lineage/tableau"
)

var opts = tableau.Options{Site: "acme", SeenAt: time.Date(2026, time.November, 30, 9, 0, 0, 0, time.UTC)}

const page = `{"data":{"workbooksConnection":{"nodes":[
 {"luid":"w1","name":"Finance","projectName":"Money","uri":"sites/1/workbooks/7","owner":{"name":"mia","email":"mia@acme.example"},
  "upstreamTables":[{"luid":"t1","name":"orders","schema":"mart","database":{"name":"shop","connectionType":"postgres"}}],
  "dashboards":[
   {"luid":"d1","name":"Payouts","upstreamTables":[
      {"luid":"t1","name":"orders","schema":"mart","database":{"name":"shop","connectionType":"postgres"}},
      {"luid":"t2","name":"odd.<!channel>","schema":"mart","database":{"name":"shop","connectionType":"postgres"}}],
    "sheets":[{"sheetFieldInstances":[
      {"name":"Total","upstreamColumns":[{"name":"price","table":{"luid":"t1"}},{"name":"fee","table":{"luid":"t1"}}]},
      {"name":"Total","upstreamColumns":[{"name":"price","table":{"luid":"t1"}}]}]}]},
   {"luid":"","name":"Hidden"},
   {"luid":"d3","name":"Unsure","upstreamTables":[{"luid":"t1","name":"orders","schema":"mart","database":{"name":"shop","connectionType":"postgres"}}],
    "sheets":[{"sheetFieldInstances":[{"name":"X","upstreamColumns":[{"name":"price","table":null}]}]}]}]},
 {"luid":"w2","name":"No dashboards","upstreamTables":[{"luid":"t9","name":"secret","schema":null,"database":null},{"luid":"t8","name":null}]}],
 "pageInfo":{"hasNextPage":false}}}}`

func TestLoad(t *testing.T) {
	t.Parallel()
	stated, err := tableau.Load(strings.NewReader(page), opts)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range stated.Assets {
		owner := ""
		if len(a.Owners) > 0 {
			owner = " of " + a.Owners[0].Value
		}
		got = append(got, fmt.Sprintf("%s %s %s%s %v", a.Kind, a.ID, a.Name, owner, a.Columns))
	}
	for _, e := range stated.Edges {
		got = append(got, fmt.Sprintf("%s > %s %s", e.From, e.To, linksOf(e)))
	}
	want := []string{
		"table postgres:///shop.mart.`odd.<!channel>` odd.<!channel> []",
		"table postgres:///shop.mart.orders orders [price fee]",
		"table table:///secret secret []",
		"dashboard tableau://acme/d1 Payouts of mia@acme.example []",
		"dashboard tableau://acme/d3 Unsure of mia@acme.example []",
		"dashboard tableau://acme/w1/Hidden Hidden of mia@acme.example []",
		"dashboard tableau://acme/w2 No dashboards []",
		"postgres:///shop.mart.`odd.<!channel>` > tableau://acme/d1 []",
		"postgres:///shop.mart.orders > tableau://acme/d1 [price Total value, fee Total value]",
		"postgres:///shop.mart.orders > tableau://acme/d3 []",
		"postgres:///shop.mart.orders > tableau://acme/w1/Hidden []",
		"table:///secret > tableau://acme/w2 []",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("it states\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b := lineage.NewBuilder()
	stated.Add(b)
	from := []lineage.Provenance{{Source: lineage.SourceManifest, SeenAt: opts.SeenAt}}
	b.AddAsset(lineage.Asset{ID: "dbt://shop/model.shop.orders", Kind: lineage.KindModel, Name: "orders", Relation: `postgres:///"shop"."mart"."orders"`, From: from})
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if below := g.Below("dbt://shop/model.shop.orders"); below != 3 {
		t.Errorf("%d dashboards are below the model, want 3", below)
	}
	impact, err := g.ChangeImpact(lineage.Change{Asset: "dbt://shop/model.shop.orders", Column: "fee", Kind: lineage.ChangeDrop})
	if err != nil || impact.Counts[lineage.OutcomeBreaks] != 3 || impact.Unsure != 2 {
		t.Errorf("dropping fee: %+v, %v", impact, err)
	}
}

// TestRefused: what is cut off or no answer is refused whole, with the reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{`:           "unexpected end",
		`[]`:          "cannot unmarshal",
		`{}`:          "it has no data",
		`{"data":{}}`: "no workbooks",
		`{"data":{"workbooks":[]},"errors":[{"message":"Showing partial results.\nThe request exceeded the node limit","extensions":{"code":"NODE_LIMIT_EXCEEDED","severity":"ERROR"}}]}`: "cut off",
		`{"data":{"workbooks":[{"luid":"x"}]}}`: "workbook 1 has no luid or no name",
	} {
		if _, err := tableau.Load(strings.NewReader(text), opts); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	warned := `{"data":{"workbooks":[]},"errors":[{"message":"hidden","extensions":{"severity":"WARNING","code":"PERMISSIONS_MODE_SWITCHED"}}]}`
	if _, err := tableau.Load(strings.NewReader(warned), opts); err != nil {
		t.Errorf("a warning: %v", err)
	}
}

// TestSharedAnswers: of the public answers none has workbooks; each is refused with
// the reason, that with an error for its error.
func TestSharedAnswers(t *testing.T) {
	t.Parallel()
	root := os.Getenv("DW_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	files, _ := filepath.Glob(filepath.Join(root, "fixtures", "tableau-rest", "metadata_*.json"))
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("no answers of Tableau under " + root)
		}
		t.Skip("no shared data")
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := "no workbooks"
		if strings.Contains(file, "error") {
			want = "Reached time limit of PT5S"
		}
		if _, err := tableau.Load(strings.NewReader(string(content)), opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(file), err, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(page)
	f.Add(`{"data":{"workbooks":[{"luid":"w","name":"n","dashboards":[{"sheets":[{"sheetFieldInstances":[{}]}]}]}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		stated, err := tableau.Load(strings.NewReader(text), opts)
		if err != nil {
			return
		}
		b := lineage.NewBuilder()
		stated.Add(b)
		if _, err := b.Build(); err != nil {
			t.Errorf("what is read builds no graph: %v", err)
		}
	})
}

func linksOf(e lineage.Edge) string {
	out := []string{}
	for _, l := range e.Columns {
		out = append(out, strings.Join([]string{l.From, l.To, l.Use}, " "))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
