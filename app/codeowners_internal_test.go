package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/config"
	"dw/lineage"
)

// TestCodeOwners: the last rule that fits the file of an asset owns it, behind whom
// the project itself names; a bad file is a problem with its line.
func TestCodeOwners(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "CODEOWNERS")
	from := lineage.Provenance{Source: lineage.SourceManifest, SeenAt: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	model := func(name, path string, owners ...string) lineage.Asset {
		a := lineage.Asset{ID: lineage.AssetID("dbt://shop/model.shop." + name), Kind: lineage.KindModel, Name: name, File: path, From: []lineage.Provenance{from}}
		for _, owner := range owners {
			a.Owners = append(a.Owners, lineage.Fact{Value: owner, From: from})
		}
		return a
	}
	manifest := []lineage.Asset{model("orders", "models/orders.sql"), model("pay", "models/finance/pay.sql", "mia"), model("free", "models/free/x.sql"), model("none", "")}
	for name, tc := range map[string]struct {
		text, folder string
		want         map[string]string // owners by asset
		problem      string
	}{
		"the last rule": {"* @all\n/models/finance/ @acme/finance mail@acme.org # who\n/models/free/\n", "", map[string]string{"orders": "@all", "pay": "mia @acme/finance mail@acme.org", "free": "", "none": ""}, ""},
		"in a folder":   {"/analytics/models/orders.sql @olga\n/models/ @wrong\n", "analytics", map[string]string{"orders": "@olga", "pay": "mia", "free": ""}, ""},
		"an odd owner":  {"* @all\n\n/models no-owner\n", "", nil, "line 3"},
		"nothing in it": {"# nobody\n", "", map[string]string{"orders": "", "pay": "mia"}, ""},
		"hostile names": {"* @a<!channel>\n", "", nil, "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := file + strings.ReplaceAll(name, " ", "-")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			owned, err := ownersOfFiles(config.Manifest{CodeOwners: file, CodeFolder: tc.folder}, manifest)
			if tc.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tc.problem) {
					t.Errorf("the problem is %v, want one that says %q", err, tc.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			b := lineage.NewBuilder()
			for _, a := range append(owned, manifest...) {
				b.AddAsset(a)
			}
			g, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			for asset, want := range tc.want {
				a, _ := g.Asset(lineage.AssetID("dbt://shop/model.shop." + asset))
				var got []string
				for _, o := range a.Owners {
					got = append(got, o.Value)
				}
				if strings.Join(got, " ") != want {
					t.Errorf("owners of %s are %q, want %q", asset, got, want)
				}
			}
		})
	}
	if _, err := ownersOfFiles(config.Manifest{CodeOwners: file + "-gone"}, manifest); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("of a file that is not there: %v", err)
	}
}
