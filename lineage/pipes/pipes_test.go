package pipes_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/lineage"
	"dw/lineage/pipes"
)

// drawn writes the edges, and what the pipeline does not know.
func drawn(s lineage.Statements) string {
	var out []string
	for _, e := range s.Edges {
		out = append(out, string(e.From)+" > "+string(e.To))
	}
	for _, a := range s.Assets {
		if unknown := a.Properties["pipeline.unknown"]; unknown != "" {
			out = append(out, "unknown: "+unknown)
		}
	}
	return strings.Join(out, "\n")
}

func TestConnect(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"topic to topic": {
			"input: {kafka_franz: {seed_brokers: [a], topics: [orders, 'returns:0']}}\noutput: {redpanda: {topic: clean}}",
			"connect://p > kafka://k/clean\nkafka://k/orders > connect://p\nkafka://k/returns > connect://p",
		},
		"brokers, switches and resources": {
			`
input: {broker: {inputs: [{resource: in}, {generate: {}}]}}
input_resources: [{label: in, kafka: {topics: ['a,b']}}]
output:
  switch:
    cases:
      - {check: x, output: {kafka: {topic: good}}}
      - {output: {fallback: [{resource: dead}, {drop: {}}]}}
output_resources: [{label: dead, kafka: {topic: bad}}]`,
			"connect://p > kafka://k/bad\nconnect://p > kafka://k/good\nkafka://k/a > connect://p\nkafka://k/b > connect://p",
		},
		"tables and files": {
			`
input: {postgres_cdc: {dsn: 'postgres://u:secret@db:5432/shop', schema: raw, tables: [orders]}}
pipeline:
  processors:
    - sql_select: {driver: postgres, dsn: 'postgres://u:secret@db:5432/shop', table: rates, columns: ['*']}
    - sql_raw: {driver: mysql, query: 'insert into audit select * from names'}
output: {broker: {outputs: [{gcp_bigquery: {project: p, dataset: d, table: t}}, {aws_s3: {bucket: lake}}, {iceberg: {namespace: n, table: i}}]}}`,
			`connect://p > bigquery://p.d.t
connect://p > iceberg://n.i
connect://p > mysql://audit
connect://p > s3://lake
mysql://names > connect://p
postgres://db:5432/rates > connect://p
postgres://db:5432/raw.orders > connect://p`,
		},
		"what only runs know": {
			"input: {kafka: {topics: ['${IN}']}}\noutput: {kafka: {topic: '${! meta(\"t\") }'}}",
			`unknown: ${IN}, ${! meta("t") }`,
		},
		"a pattern is no topic":   {"input: {kafka: {topics: ['a.*'], regexp_topics: true}}\noutput: {drop: {}}", "unknown: kafka topics that match a.*"},
		"a resource of elsewhere": {"input: {resource: r}", "unknown: resource r"},
		"a resource of itself":    {"input: {resource: r}\ninput_resources: [{label: r, resource: r}]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := pipes.LoadConnect([]byte(tc.text), pipes.Options{Name: "p", Cluster: "k"})
			if err != nil {
				t.Fatal(err)
			}
			if got := drawn(s); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			if strings.Contains(fmt.Sprint(s), "secret") {
				t.Error("a password is kept")
			}
		})
	}
}

func TestKafkaConnect(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"Debezium": {
			`{"name":"c","config":{"connector.class":"io.debezium.connector.postgresql.PostgresConnector","topic.prefix":"cdc","database.hostname":"db",
			"database.port":"5432","database.dbname":"shop","database.password":"secret","table.include.list":"raw\\.orders,raw.x.*"}}`,
			`kafka-connect://c > kafka://cdc.raw.orders
postgres://db:5432/shop.raw.orders > kafka-connect://c
postgres://db:5432/shop.raw.orders > kafka://cdc.raw.orders
unknown: tables that match raw.x.*`,
		},
		"a router hides the topic": {
			`{"name":"c","config":{"connector.class":"io.debezium.connector.mysql.MySqlConnector","topic.prefix":"cdc","table.include.list":"d.t",
			"transforms":"r","transforms.r.type":"org.apache.kafka.connect.transforms.RegexRouter"}}`,
			"mysql://d.t > kafka-connect://c\nunknown: topics, which r changes",
		},
		"JDBC in": {
			`{"name":"c","connector.class":"io.confluent.connect.jdbc.JdbcSourceConnector","connection.url":"jdbc:postgresql://u:secret@db/shop","topic.prefix":"t-","table.whitelist":"s.a"}`,
			"kafka-connect://c > kafka://t-a\npostgres://db/shop.s.a > kafka-connect://c\npostgres://db/shop.s.a > kafka://t-a",
		},
		"JDBC out": {
			`{"name":"c","connector.class":"io.confluent.connect.jdbc.JdbcSinkConnector","connection.url":"jdbc:mysql://db:3306/shop","topics":"a","table.name.format":"l_${topic}"}`,
			"kafka-connect://c > mysql://db:3306/l_a\nkafka://a > kafka-connect://c\nkafka://a > mysql://db:3306/l_a",
		},
		"BigQuery, of many": {
			`{"c":{"info":{"config":{"connector.class":"com.wepay.kafka.connect.bigquery.BigQuerySinkConnector","topics":"a, b","project":"p","defaultDataset":"d","topic2TableMap":"b:bee"}}}}`,
			"kafka-connect://c > bigquery://p.d.a\nkafka-connect://c > bigquery://p.d.bee\nkafka://a > bigquery://p.d.a\nkafka://a > kafka-connect://c\nkafka://b > bigquery://p.d.bee\nkafka://b > kafka-connect://c",
		},
		"a class of its own": {`{"name":"c","config":{"connector.class":"com.acme.Thing"}}`, "unknown: what Thing reads and writes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := pipes.LoadKafkaConnect([]byte(tc.text), pipes.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := drawn(s); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			if strings.Contains(fmt.Sprint(s), "secret") {
				t.Error("a password is kept")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		load func([]byte, pipes.Options) (lineage.Statements, error)
		text string
		want string
	}{
		"not YAML":       {pipes.LoadConnect, "{", "read Redpanda Connect file"},
		"another file":   {pipes.LoadConnect, "a: 1", "neither an input nor an output"},
		"not JSON":       {pipes.LoadKafkaConnect, "{", "read Kafka Connect connector"},
		"another object": {pipes.LoadKafkaConnect, "{}", "no connector.class"},
		"no name":        {pipes.LoadKafkaConnect, `{"connector.class":"x"}`, "it has no name"},
	} {
		o := pipes.Options{}
		if strings.Contains(name, "file") {
			o.Name = "p"
		}
		if _, err := tc.load([]byte(tc.text), o); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSharedPipelines: each public configuration is read, and those that name
// topics have edges.
func TestSharedPipelines(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("DW_SHARED")
	if shared == "" {
		t.Skip("set DW_SHARED to the folder that holds the public fixtures")
	}
	read, edges := 0, 0
	err := filepath.WalkDir(filepath.Join(shared, "fixtures", "redpanda-connect"), func(path string, d fs.DirEntry, err error) error {
		load := map[string]func([]byte, pipes.Options) (lineage.Statements, error){".yaml": pipes.LoadConnect, ".json": pipes.LoadKafkaConnect}[filepath.Ext(path)]
		if err != nil || load == nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s, err := load(content, pipes.Options{Name: filepath.Base(path)})
		if err != nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			return nil
		}
		read++
		edges += len(s.Edges)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files read, %d edges", read, edges)
	if read < 28 || edges < 30 {
		t.Errorf("%d files read, %d edges: too few", read, edges)
	}
}

func FuzzConnect(f *testing.F) {
	f.Add([]byte("input: {kafka: {topics: [a]}}\noutput: {switch: {cases: [{output: {sql_raw: {query: 'insert into a select * from b'}}}]}}"))
	f.Fuzz(func(t *testing.T, content []byte) { builds(t, content, pipes.LoadConnect) })
}

func FuzzKafkaConnect(f *testing.F) {
	f.Add([]byte(`{"name":"c","config":{"connector.class":"io.debezium.connector.mysql.X","topics":"a","table.include.list":"a.b"}}`))
	f.Fuzz(func(t *testing.T, content []byte) { builds(t, content, pipes.LoadKafkaConnect) })
}

func builds(t *testing.T, content []byte, load func([]byte, pipes.Options) (lineage.Statements, error)) {
	s, err := load(content, pipes.Options{Name: "p"})
	if err != nil {
		return
	}
	b := lineage.NewBuilder()
	s.Add(b)
	if _, err := b.Build(); err != nil {
		t.Errorf("what was taken in makes no graph: %v", err)
	}
}
