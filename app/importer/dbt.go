package importer

import (
	"bytes"
	"fmt"
	"strings"

	"dw/checks"
	"dw/lineage"
)

// dbtImport is one import of a manifest.
type dbtImport struct {
	o      Options
	report Report
	assets map[string]lineage.Asset // by unique id
}

// DBT turns the data tests of a dbt manifest into checks.
func DBT(manifest []byte, o Options) (Report, error) {
	return importManifest(manifest, o, func(d *dbtImport, t lineage.ManifestTest) {
		if t.Package == "elementary" {
			d.report.skip(t.Name, "a test of Elementary: dw import elementary")
			return
		}
		d.test(t)
	})
}

// importManifest calls each with every test that says what it tests.
func importManifest(manifest []byte, o Options, each func(*dbtImport, lineage.ManifestTest)) (Report, error) {
	tests, err := lineage.LoadManifestTests(bytes.NewReader(manifest), 0)
	if err != nil {
		return Report{}, err
	}
	assets, _, err := lineage.LoadManifest(bytes.NewReader(manifest), lineage.ManifestOptions{})
	if err != nil {
		return Report{}, err
	}
	d := &dbtImport{o: o, assets: map[string]lineage.Asset{}}
	for _, a := range assets {
		id := string(a.ID)
		d.assets[id[strings.LastIndex(id, "/")+1:]] = a
	}
	for _, t := range tests {
		each(d, t)
	}
	return d.report, nil
}

// test adds the check of one test, or says why there is none.
func (d *dbtImport) test(t lineage.ManifestTest) {
	c, why := d.base(t)
	if why == "" && t.Kind == "" {
		why = singular(t, &c)
	} else if why == "" {
		why = d.generic(t, &c)
	}
	if why == "" {
		why = zones(t, &c)
	}
	if why != "" {
		d.report.skip(t.Name, "%s", why)
		return
	}
	d.report.add(c, d.o)
}

// base fills in what every check of a test has.
func (d *dbtImport) base(t lineage.ManifestTest) (Check, string) {
	asset, known := d.assets[t.Node]
	switch {
	case t.Node == "":
		return Check{}, "the manifest does not say which one table it tests"
	case !known:
		return Check{}, fmt.Sprintf("%s is not in the manifest", t.Node)
	case strings.Contains(t.Where, "{{"):
		return Check{}, "its where is a template of dbt: " + t.Where
	}
	c := Check{Name: t.Name, Asset: string(asset.ID), Table: tableOf(asset), Where: t.Where}
	if c.Table == "" {
		return c, fmt.Sprintf("%s has no table in the database", t.Node)
	}
	if t.Severity == "warn" {
		c.Severity = "warn"
	}
	return c, ""
}

// tableOf is schema and table of an asset's relation, without the database.
func tableOf(a lineage.Asset) string {
	for _, alias := range a.Aliases {
		plain := strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "").Replace(alias)
		parts := strings.Split(plain, ".")
		id := string(a.ID)
		if len(parts) < 2 || len(parts) > 3 || plain == id[strings.LastIndex(id, "/")+1:] || strings.ContainsAny(plain, " /") {
			continue
		}
		if len(parts) == 2 && alias == plain && a.Kind == lineage.KindSource {
			continue // source_name.table, which is no relation
		}
		parts = parts[len(parts)-2:]
		for i, p := range parts {
			if !plainColumn.MatchString(p) {
				parts[i] = `"` + p + `"`
			}
		}
		return strings.Join(parts, ".")
	}
	return ""
}

// singular is a test that is a query: any row that it returns fails.
func singular(t lineage.ManifestTest, c *Check) string {
	query := strings.TrimSuffix(strings.TrimSpace(t.Compiled), ";")
	switch {
	case query == "" && !strings.Contains(t.SQL, "{{"):
		query = strings.TrimSuffix(strings.TrimSpace(t.SQL), ";")
	case query == "":
		return "a query that dbt has not compiled: run dbt compile and import its manifest"
	}
	if err := checks.Guard(query); err != nil {
		return "its query is not one that dw may ask: " + err.Error()
	}
	c.Kind, c.Query, c.Table, c.Where = checks.KindSQL, query, "", ""
	return ""
}

// zones turns error_if and warn_if, conditions on the number of failing rows,
// into what passes.
func zones(t lineage.ManifestTest, c *Check) string {
	plain := func(condition string) bool {
		return condition == "" || condition == "!= 0" || condition == "!=0" || condition == "> 0" || condition == ">0"
	}
	if plain(t.ErrorIf) && plain(t.WarnIf) {
		return ""
	}
	switch c.Kind {
	case checks.KindMissing, checks.KindAcceptedValues, checks.KindRange, checks.KindRelationships:
	default:
		return fmt.Sprintf("error_if %q and warn_if %q count what a check of kind %s does not", t.ErrorIf, t.WarnIf, c.Kind)
	}
	for _, zone := range []struct {
		condition string
		into      *string
	}{{t.WarnIf, &c.Warn}, {t.ErrorIf, &c.Fail}} {
		condition := zone.condition
		if condition == "" {
			condition = "!= 0"
		}
		passes, ok := inverse(condition)
		if !ok {
			return fmt.Sprintf("the condition %q is not one that dw reads", condition)
		}
		if _, err := checks.ParseThreshold(passes); err != nil {
			return fmt.Sprintf("the condition %q is not one that dw reads", condition)
		}
		*zone.into = passes
	}
	if c.Severity == "warn" {
		c.Fail = "" // dbt never fails such a test
	}
	return ""
}
