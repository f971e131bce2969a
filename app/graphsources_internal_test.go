package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/config"
)

// TestReadSource: each kind of source is read from its folder, and what is wrong
// with a file is said with its name.
func TestReadSource(t *testing.T) {
	t.Parallel()
	event := `{"eventTime":"2026-06-10T10:00:00Z","job":{"namespace":"n","name":"j"},"inputs":[{"namespace":"db","name":"a"}]}`
	for name, tc := range map[string]struct {
		source config.GraphSource
		files  map[string]string
		want   string
	}{
		"events": {config.GraphSource{Kind: "openlineage"}, map[string]string{"a.json": event, "b/c.ndjson": event, "d.txt": "x"}, "2 assets, 1 edges"},
		"LookML": {
			config.GraphSource{Kind: "lookml", Project: "p", System: "bigquery"},
			map[string]string{"v.view.lkml": "view: v { sql_table_name: a.b ;; }", "m.model.lkml": "explore: v {}"},
			"3 assets, 2 edges",
		},
		"pipelines": {
			config.GraphSource{Kind: "connect", Cluster: "k:9092"},
			map[string]string{"relay.yaml": "input: {kafka: {topics: [a]}}\noutput: {kafka: {topic: b}}"},
			"3 assets, 2 edges",
		},
		"connectors": {
			config.GraphSource{Kind: "kafka_connect"},
			map[string]string{"sink.json": `{"connector.class":"x.S3SinkConnector","topics":"a","s3.bucket.name":"b"}`},
			"3 assets, 3 edges",
		},
		"dashboards": {
			config.GraphSource{Kind: "tableau", Project: "acme"},
			map[string]string{"p1.json": `{"data":{"workbooks":[{"luid":"w","name":"n","upstreamTables":[{"luid":"t","name":"orders","schema":"mart","database":{"name":"shop","connectionType":"postgres"}}]}]}}`},
			"2 assets, 1 edges",
		},
		"no file":    {config.GraphSource{Kind: "openlineage"}, map[string]string{"d.txt": "x"}, "no file that ends in .json"},
		"a bad file": {config.GraphSource{Kind: "openlineage"}, map[string]string{"a.json": event, "b.json": "{"}, "b.json: read OpenLineage events: near byte"},
		"bad LookML": {config.GraphSource{Kind: "lookml", Project: "p"}, map[string]string{"v.view.lkml": "view: {"}, "v.view.lkml: line 1: a block is not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.source.Path = t.TempDir()
			for file, content := range tc.files {
				path := filepath.Join(tc.source.Path, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := readSource(tc.source)
			got := fmt.Sprintf("%d assets, %d edges", len(s.Assets), len(s.Edges))
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
