package lineage_test

import (
	"strings"
	"testing"

	"dw/lineage"
)

const testsManifest = `{"metadata":{"dbt_schema_version":"v12"},"nodes":{
 "model.shop.orders":{"unique_id":"model.shop.orders","resource_type":"model"},
 "test.shop.b":{"unique_id":"test.shop.b","resource_type":"test","name":"b","column_name":"id","attached_node":"model.shop.orders","depends_on":{"nodes":["model.shop.orders"]},
   "test_metadata":{"name":"not_null","namespace":null,"kwargs":{"column_name":"id","model":"x"}},"config":{"severity":"WARN","where":"id > 0","error_if":"!= 0","warn_if":">10"}},
 "test.shop.a":{"unique_id":"test.shop.a","resource_type":"test","depends_on":{"nodes":["model.shop.users","model.shop.orders"]},
   "test_metadata":{"name":"relationships","namespace":"","kwargs":{"column_name":"user","to":"ref('users')","field":"id","model":"{{ get_where_subquery(ref('orders')) }}"}},"config":{}},
 "test.shop.s":{"unique_id":"test.shop.s","resource_type":"test","depends_on":{"nodes":["source.shop.raw.orders"]},"raw_sql":"select 1","config":{}},
 "test.shop.src":{"unique_id":"test.shop.src","resource_type":"test","depends_on":{"nodes":["source.shop.raw.orders","model.shop.users"]},
   "test_metadata":{"name":"relationships","kwargs":{"model":"{{ source('raw', 'orders') }}"}},"config":{}},
 "test.shop.two":{"unique_id":"test.shop.two","resource_type":"test","depends_on":{"nodes":["model.shop.a","model.shop.b"]},"config":{}},
 "test.shop.off":{"unique_id":"test.shop.off","resource_type":"test","config":{"enabled":false}}},"sources":{}}`

func TestManifestTests(t *testing.T) {
	t.Parallel()
	tests, err := lineage.LoadManifestTests(strings.NewReader(testsManifest), 0)
	if err != nil {
		t.Fatal(err)
	}
	node := map[string]string{}
	var ids []string
	for _, test := range tests {
		ids = append(ids, test.UniqueID)
		node[test.UniqueID] = test.Node
	}
	if got := strings.Join(ids, " "); got != "test.shop.a test.shop.b test.shop.s test.shop.src test.shop.two" {
		t.Errorf("tests %s", got)
	}
	for id, want := range map[string]string{
		"test.shop.a": "model.shop.orders", "test.shop.b": "model.shop.orders", "test.shop.s": "source.shop.raw.orders",
		"test.shop.src": "source.shop.raw.orders", "test.shop.two": "",
	} {
		if node[id] != want {
			t.Errorf("%s is about %q, want %q", id, node[id], want)
		}
	}
	b := tests[1]
	if b.Kind != "not_null" || b.Column != "id" || b.Severity != "warn" || b.Where != "id > 0" || b.ErrorIf != "!= 0" || b.WarnIf != ">10" {
		t.Errorf("%+v", b)
	}
	if a := tests[0]; a.Severity != "error" || a.Column != "user" || a.Args["field"] != "id" {
		t.Errorf("%+v", a)
	}
	if s := tests[2]; s.SQL != "select 1" || s.Kind != "" {
		t.Errorf("%+v", s)
	}
}

func TestManifestWithoutTests(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"no nodes":    {`{"metadata":{}}`, "no section nodes"},
		"broken":      {`{"nodes":{"test.a":{"resource_type":"test","depends_on":7}}}`, "test.a"},
		"no manifest": {`[]`, "want an object"},
	} {
		if _, err := lineage.LoadManifestTests(strings.NewReader(tc.text), 0); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestWhatDBTNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ref('users')":                            "users",
		`{{ ref("pkg", "users") }}`:               "users",
		"{{ get_where_subquery(ref('a', v=2)) }}": "a",
		"source('raw', 'orders')":                 "raw.orders",
		"{{ config(x) }}":                         "",
	} {
		if got := lineage.NamedByDBT(text); got != want {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}
