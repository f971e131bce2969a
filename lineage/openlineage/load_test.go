package openlineage_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/lineage"
	"dw/lineage/openlineage"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func load(t *testing.T, text string) lineage.Statements {
	t.Helper()
	s, err := openlineage.Load(strings.NewReader(text), openlineage.Options{SeenAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawn writes the edges with their columns, a line each.
func drawn(s lineage.Statements) string {
	var out strings.Builder
	for _, e := range s.Edges {
		fmt.Fprintf(&out, "%s -> %s %s %s", e.From, e.To, e.Seen.How, e.Use)
		for _, c := range e.Columns {
			fmt.Fprintf(&out, " %s>%s:%s", c.From, c.To, c.Use)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// run is a run event of the job `etl` of namespace `cron`.
func run(kind, at, more string) string {
	return fmt.Sprintf(`{"eventType":%q,"eventTime":%q,"run":{"runId":"r"},"job":{"namespace":"cron","name":"etl"}%s}`, kind, at, more)
}

const (
	readsA = `,"inputs":[{"namespace":"postgres://db:5432","name":"shop.raw.a"}]`
	at1    = "2026-03-04T09:00:00Z"
	at2    = "2026-03-04T10:00:00+01:00" // the same instant
	at3    = "2026-03-04T11:00:00Z"
)

func TestEdges(t *testing.T) {
	t.Parallel()
	columns := `,"outputs":[{"namespace":"postgresql://db:5432/","name":"shop.mart.b","facets":{"columnLineage":{
		"fields":{"total":{"inputFields":[{"namespace":"postgres://db:5432","name":"shop.raw.a","field":"price"},
			{"namespace":"postgres://db:5432","name":"shop.raw.c","field":"rate","transformations":[{"type":"INDIRECT","subtype":"CONDITION"}]}]}},
		"dataset":[{"namespace":"postgres://db:5432","name":"shop.raw.a","field":"day","transformations":[{"type":"INDIRECT","subtype":"FILTER"}]}]}}}]`
	declared := `{"eventTime":"2026-03-04T09:00:00Z","job":{"namespace":"airflow://prod","name":"daily","facets":{"lineage":{"entries":[
		{"type":"JOB","inputs":[{"type":"DATASET","namespace":"kafka://k:9092","name":"orders.v1"}]},
		{"type":"DATASET","namespace":"bigquery","name":"p.d.t","inputs":[{"type":"JOB"}],
		 "fields":{"x":{"inputs":[{"type":"DATASET","namespace":"bigquery","name":"p.d.s","field":"y"}]}}}]}}}}`
	for name, tc := range map[string]struct{ text, want string }{
		"a job between what it reads and writes": {
			run("COMPLETE", at1, readsA+`,"outputs":[{"namespace":"s3a://lake","name":"/b.parquet"}]`),
			"job://cron/etl -> s3://lake/b.parquet observed \npostgres://db:5432/shop.raw.a -> job://cron/etl observed \n",
		},
		"a failed run is only meant": {
			run("FAIL", at1, readsA), "postgres://db:5432/shop.raw.a -> job://cron/etl declared \n",
		},
		"columns, of tables that are no input too": {
			run("COMPLETE", at1, columns),
			"job://cron/etl -> postgres://db:5432/shop.mart.b observed \n" +
				"postgres://db:5432/shop.raw.a -> postgres://db:5432/shop.mart.b observed value price>total:value day>:filter\n" +
				"postgres://db:5432/shop.raw.c -> postgres://db:5432/shop.mart.b observed filter rate>total:filter\n",
		},
		"the lineage facet of a job event": {
			declared,
			"bigquery://p.d.s -> bigquery://p.d.t declared value y>x:value\n" +
				"job://airflow/prod/daily -> bigquery://p.d.t declared \n" +
				"kafka://k:9092/orders.v1 -> job://airflow/prod/daily declared \n",
		},
		"what rewrites itself feeds nothing new": {
			run("COMPLETE", at1, `,"outputs":[{"namespace":"file","name":"/a","facets":{"columnLineage":{"fields":{"x":{"inputFields":[
				{"namespace":"file","name":"/a","field":"x"}]}}}}}]`),
			"job://cron/etl -> file:///a observed \n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := drawn(load(t, tc.text)); got != tc.want {
				t.Errorf("got\n%swant\n%s", got, tc.want)
			}
		})
	}
}

// TestFirstAndLastSeen: many events about one edge are one edge, which knows
// when it was first and last seen.
func TestFirstAndLastSeen(t *testing.T) {
	t.Parallel()
	s := load(t, run("COMPLETE", at3, readsA)+"\n["+run("START", at2, readsA)+"]\n"+run("COMPLETE", at1, readsA))
	if len(s.Edges) != 1 || len(s.Assets) != 2 {
		t.Fatalf("%d edges and %d assets, want 1 and 2", len(s.Edges), len(s.Assets))
	}
	seen := s.Edges[0].Seen
	if got := seen.SeenAt.Format(time.TimeOnly) + " " + seen.FirstAt.Format(time.TimeOnly); got != "11:00:00 09:00:00" {
		t.Errorf("last and first seen %s", got)
	}
}

// TestDataset: what an event says of a dataset, and what a later one leaves out.
func TestDataset(t *testing.T) {
	t.Parallel()
	full := run("COMPLETE", at1, `,"inputs":[{"namespace":"hive://m:9083","name":"test.t1","facets":{
		"schema":{"fields":[{"name":"id","type":"int"},{"name":"who","type":"struct","fields":[{"name":"mail","type":{"json":1}}]}]},
		"ownership":{"owners":[{"name":"team:data","type":"MAINTAINER"},{"name":"user:ann"}]},
		"documentation":{"description":"people"},
		"symlinks":{"identifiers":[{"namespace":"file","name":"/warehouse/test.db/t1","type":"LOCATION"}]},
		"lifecycleStateChange":{"lifecycleStateChange":"RENAME","previousIdentifier":{"namespace":"hive://m:9083","name":"test.t0"}},
		"custom":{"anything":[1,2]}}}]`)
	bare := run("COMPLETE", at3, `,"inputs":[{"namespace":"hive://m:9083","name":"test.t1"}]`)
	var a lineage.Asset
	for _, one := range load(t, full+bare).Assets {
		if one.ID == "hive://m:9083/test.t1" {
			a = one
		}
	}
	got := fmt.Sprintf("%s %s %q %q %s %s %s | %s", a.Kind, a.Name, a.Columns, a.Aliases, a.Owners[0].Value, a.Owners[1].Value,
		a.Description, a.Properties["openlineage.last_change"])
	want := `table t1 ["id" "who" "who.mail"] ["test.t1" "file:///warehouse/test.db/t1"] team:data user:ann people | rename from hive://m:9083/test.t0`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if seen := a.From[0].SeenAt.Format(time.TimeOnly); seen != "11:00:00" {
		t.Errorf("seen at %s", seen)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	nested := func(facet string) string {
		return run("COMPLETE", at1, `,"outputs":[{"namespace":"file","name":"/a","facets":{`+facet+`}}]`)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":                 {"", "there is none"},
		"an empty array":          {"[]", "there is none"},
		"not JSON":                {"{", "it ends too early"},
		"text behind an event":    {run("START", at1, "") + "x", "invalid character"},
		"a list of texts":         {`["a"]`, "event 1: it is a string, an event is an object"},
		"another document":        {`{"swagger":"2.0"}`, "event 1: it has neither a job nor a dataset"},
		"the second event":        {run("START", at1, "") + `{"job":{"name":"x"}}`, "event 2: job.namespace is missing"},
		"a time that is none":     {run("START", "${any}", ""), `eventTime "${any}" is not a time`},
		"a time that is to come":  {run("START", "2026-03-05T12:00:00Z", ""), "lies in the future by dw's clock"},
		"a dataset without names": {run("START", at1, `,"inputs":[{"name":"a"}]`), "inputs[0]: namespace is missing"},
		"an empty name":           {run("START", at1, `,"outputs":[{"namespace":"a","name":" / "}]`), "outputs[0]: name is empty"},
		"a name with a break":     {run("START", at1, `,"outputs":[{"namespace":"a","name":"b\nc"}]`), "name holds characters that cannot be printed"},
		"a name without end":      {run("START", at1, `,"outputs":[{"namespace":"a","name":"`+strings.Repeat("n", 3000)+`"}]`), "name has 3000 bytes, at most 2048"},
		"inputs that are no list": {run("START", at1, `,"inputs":{}`), "inputs is a object, which OpenLineage does not write there"},
		"an owner without a name": {nested(`"ownership":{"owners":[{"type":"x"}]}`), "outputs[0]: facets.ownership.owners[0] has no name"},
		"a symlink without names": {nested(`"symlinks":{"identifiers":[{}]}`), "facets.symlinks.identifiers[0].namespace is missing"},
		"a column without names":  {nested(`"columnLineage":{"fields":{"x":{"inputFields":[{"field":"y"}]}}}`), `facets.columnLineage.fields["x"].inputFields[0].namespace is missing`},
		"a half named source":     {nested(`"lineage":{"inputs":[{"type":"JOB","name":"j"}]}`), "facets.lineage.inputs[0]: namespace and name stand together"},
		"a source of no type":     {nested(`"lineage":{"inputs":[{"namespace":"n","name":"j"}]}`), `type "" is neither DATASET nor JOB`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := openlineage.Load(strings.NewReader(tc.text), openlineage.Options{SeenAt: noon, Latest: noon})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if len(s.Assets)+len(s.Edges) > 0 {
				t.Errorf("%d assets and %d edges came with the error", len(s.Assets), len(s.Edges))
			}
		})
	}
}

// TestHostileNames: a name cannot break the graph it comes into.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`<!channel>`, `a"b.c`, "`x`.y", "🎟️.orders", "../../etc/passwd", "a://b", strings.Repeat("d.", 900) + "e"} {
		s := load(t, run("COMPLETE", at1, fmt.Sprintf(`,"inputs":[{"namespace":"db","name":%q}]`, name)))
		b := lineage.NewBuilder()
		s.Add(b)
		g, err := b.Build()
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		a, err := g.Resolve(name)
		if err != nil || a.ID != openlineage.DatasetID("db", name) {
			t.Errorf("%q resolves to %q: %v", name, a.ID, err)
		}
	}
}

// TestManyColumns: 10,000 columns, each fed by another, are taken in.
func TestManyColumns(t *testing.T) {
	t.Parallel()
	const columns = 10_000
	var fields, links strings.Builder
	for i := range columns {
		fmt.Fprintf(&fields, `,{"name":"c%d"}`, i)
		fmt.Fprintf(&links, `,"c%d":{"inputFields":[{"namespace":"d","name":"a","field":"c%d"}]}`, i, i)
	}
	s := load(t, run("COMPLETE", at1, fmt.Sprintf(`,"outputs":[{"namespace":"d","name":"b","facets":{"schema":{"fields":[%s]},
		"columnLineage":{"fields":{%s}}}}]`, fields.String()[1:], links.String()[1:])))
	b := lineage.NewBuilder()
	s.Add(b)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := g.Asset("openlineage://d/b"); len(a.Columns) != columns || len(g.Edges()[1].Columns) != columns {
		t.Errorf("%d columns, %d linked", len(a.Columns), len(g.Edges()[1].Columns))
	}
}

func TestGzipAndLimit(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(run("COMPLETE", at1, readsA))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := packed.Bytes()
	if s, err := openlineage.Load(bytes.NewReader(whole), openlineage.Options{}); err != nil || len(s.Edges) != 1 {
		t.Errorf("%d edges: %v", len(s.Edges), err)
	}
	for name, tc := range map[string]struct {
		text  []byte
		limit int64
		want  string
	}{
		"cut off":   {whole[:len(whole)-12], 0, "unexpected EOF"},
		"too large": {whole, 64, "larger than the limit of 64 bytes"},
	} {
		if _, err := openlineage.Load(bytes.NewReader(tc.text), openlineage.Options{SizeLimit: tc.limit}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(run("COMPLETE", at1, readsA)))
	f.Add([]byte(`[{"eventTime":"2026-03-04T09:00:00Z","dataset":{"namespace":"a","name":"b"}}]`))
	f.Add([]byte(`{"job":{"namespace":"a","name":"b","facets":{"lineage":{"entries":[{"type":"JOB","inputs":[{"type":"JOB"}]}]}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := openlineage.Load(bytes.NewReader(text), openlineage.Options{SeenAt: noon, SizeLimit: 1 << 16})
		if err != nil {
			return
		}
		b := lineage.NewBuilder()
		s.Add(b)
		if _, err := b.Build(); err != nil {
			t.Errorf("what was taken in makes no graph: %v", err)
		}
	})
}
