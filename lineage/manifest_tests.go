package lineage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// ManifestTest is one data test of a dbt manifest. Texts are as the manifest
// writes them; a key that is missing is empty.
type ManifestTest struct {
	UniqueID  string
	Name      string         // of this test
	Kind      string         // of a generic test: "not_null"; empty for a test that is a query
	Package   string         // of a generic test that comes with a package: "dbt_utils"
	Column    string         // the column that is tested, where there is one
	Args      map[string]any // of a generic test
	Node      string         // unique id of what is tested, empty where the manifest does not tell
	DependsOn []string       // unique ids
	Severity  string         // in small letters, "error" where the manifest says nothing
	Where     string
	ErrorIf   string
	WarnIf    string
	SQL       string // of a test that is a query, before dbt compiles it
	Compiled  string // the same after it, where the manifest holds it
	File      string
}

type testNode struct {
	UniqueID     looseText `json:"unique_id"`
	ResourceType looseText `json:"resource_type"`
	Name         looseText `json:"name"`
	Column       looseText `json:"column_name"`
	Attached     looseText `json:"attached_node"`
	Raw          looseText `json:"raw_code"`
	OldRaw       looseText `json:"raw_sql"`
	Compiled     looseText `json:"compiled_code"`
	OldCompiled  looseText `json:"compiled_sql"`
	File         looseText `json:"original_file_path"`
	DependsOn    dependsOn `json:"depends_on"`
	Metadata     *struct {
		Name      looseText      `json:"name"`
		Namespace looseText      `json:"namespace"`
		Kwargs    map[string]any `json:"kwargs"`
	} `json:"test_metadata"`
	Config struct {
		Enabled  *bool     `json:"enabled"`
		Severity looseText `json:"severity"`
		Where    looseText `json:"where"`
		ErrorIf  looseText `json:"error_if"`
		WarnIf   looseText `json:"warn_if"`
	} `json:"config"`
}

// LoadManifestTests reads the data tests of a dbt manifest (schema v1 to v12,
// plain or gzip), ordered by unique id. limit is the most bytes after
// decompression, 0 for the default.
func LoadManifestTests(r io.Reader, limit int64) ([]ManifestTest, error) {
	text, err := openManifest(r, limit)
	if err != nil {
		return nil, fmt.Errorf("read the tests of a dbt manifest: %w", err)
	}
	d := &manifestDecoder{json: json.NewDecoder(text), out: &manifest{}}
	var tests []ManifestTest
	found := false
	err = d.object(func(section string) error {
		d.where, d.entry = section, ""
		if section != "nodes" {
			var passed json.RawMessage
			return d.json.Decode(&passed)
		}
		found = true
		return d.object(func(id string) error {
			d.entry = id
			var n testNode
			if err := d.json.Decode(&n); err != nil {
				return err
			}
			if n.ResourceType == "test" && (n.Config.Enabled == nil || *n.Config.Enabled) {
				tests = append(tests, n.test())
			}
			return nil
		})
	})
	if err == nil && !found {
		err = errors.New("there is no section nodes")
	}
	if err != nil {
		return nil, fmt.Errorf("read the tests of a dbt manifest: %w", d.locate(err))
	}
	slices.SortFunc(tests, func(a, b ManifestTest) int { return strings.Compare(a.UniqueID, b.UniqueID) })
	return tests, nil
}

func (n testNode) test() ManifestTest {
	t := ManifestTest{
		UniqueID: string(n.UniqueID), Name: string(n.Name), Column: string(n.Column), Node: string(n.Attached), DependsOn: n.DependsOn.Nodes,
		Severity: strings.ToLower(string(n.Config.Severity)), Where: string(n.Config.Where), ErrorIf: string(n.Config.ErrorIf),
		WarnIf: string(n.Config.WarnIf), SQL: string(n.Raw), File: string(n.File),
	}
	if t.SQL == "" {
		t.SQL = string(n.OldRaw)
	}
	if t.Compiled = string(n.Compiled); t.Compiled == "" {
		t.Compiled = string(n.OldCompiled)
	}
	if t.Severity == "" {
		t.Severity = "error"
	}
	if n.Metadata != nil {
		t.Kind, t.Package, t.Args = string(n.Metadata.Name), string(n.Metadata.Namespace), n.Metadata.Kwargs
		if column, ok := t.Args["column_name"].(string); ok && t.Column == "" {
			t.Column = column
		}
	}
	if t.Node == "" {
		t.Node = t.tested()
	}
	return t
}

var modelArgument = regexp.MustCompile(`(ref|source)\(([^)]*)\)`)

// tested finds what an older manifest's test is about: what its argument model
// names, else the only thing that it reads.
func (t ManifestTest) tested() string {
	if model, ok := t.Args["model"].(string); ok {
		if name := NamedByDBT(model); name != "" {
			for _, id := range t.DependsOn {
				if strings.HasSuffix(id, "."+name) {
					return id
				}
			}
		}
	}
	if len(t.DependsOn) == 1 {
		return t.DependsOn[0]
	}
	return ""
}

// NamedByDBT returns the last argument of the ref or source in a text of dbt's,
// such as `{{ get_where_subquery(ref('orders')) }}`, with the schema before it
// for a source, and "" where there is neither.
func NamedByDBT(text string) string {
	found := modelArgument.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	var names []string
	for arg := range strings.SplitSeq(found[2], ",") {
		if name := strings.Trim(strings.TrimSpace(arg), `'"`); name != "" && !strings.Contains(name, "=") {
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case found[1] == "source":
		return strings.Join(names, ".")
	}
	return names[len(names)-1]
}
