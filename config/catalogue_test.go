package config_test

import (
	"strings"
	"testing"

	"dw/config"
)

// TestCatalogues: a catalogue names a connection that is there and that dw can read
// the catalogue of.
func TestCatalogues(t *testing.T) {
	t.Parallel()
	file := func(catalogue string) []byte {
		return []byte("instance: test-one\nslack: {bot_token: a, app_token: b}\nconnections:\n  shop: {kind: postgres, dsn: \"postgres://a@b/c\"}\n  file: {kind: sqlite, path: catalogue.go}\n" +
			"people: {ann: {slack: U1}}\ndomains: {shop: {owner: ann, channel: C1}}\nlineage:\n  catalogues: [" + catalogue + "]\n")
	}
	for catalogue, want := range map[string]string{
		"{connection: shop, schemas: [mart], domain: shop}": "",
		"{}":                              "lineage.catalogues[0].connection: is missing",
		"{connection: shoop}":             `lineage.catalogues[0].connection: "shoop" is not in connections`,
		"{connection: file}":              `lineage.catalogues[0].connection: "file" is of kind sqlite`,
		"{connection: shop, domain: no}":  "lineage.catalogues[0].domain",
		"{connection: shop, schema: one}": "schema",
	} {
		_, err := config.Parse("c.yaml", file(catalogue), sources(nil))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", catalogue, err, want)
		}
	}
}
