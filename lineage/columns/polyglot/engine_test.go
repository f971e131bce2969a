package polyglot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dw/lineage/columns"
	"dw/lineage/columns/enginetest"
	"dw/lineage/columns/polyglot"
	"dw/lineage/columns/wire"
)

// TestServe speaks with the engine as dw does, over a pair of pipes: a refusal and
// a failure cost the one question, not the next.
func TestServe(t *testing.T) {
	t.Parallel()
	folder := enginetest.Folder(t)
	ask := func(id uint64, sql string) wire.Request {
		return wire.Request{ID: id, SQL: sql, Options: json.RawMessage(`{"dialect":"postgresql"}`)}
	}
	questions := []wire.Request{
		ask(1, `select "é😀" as "a.b" from "s.t"."u"`),
		ask(2, "select ((( from"),
		ask(3, "select "+strings.Repeat("(", 20_000)+"1"+strings.Repeat(")", 20_000)),
		{ID: 4, SQL: "select 1", Options: json.RawMessage(`{"dialect":"klingon"}`)},
		ask(5, "select a from t"),
	}
	var in, out bytes.Buffer
	for _, q := range questions {
		if err := wire.Write(&in, q); err != nil {
			t.Fatal(err)
		}
	}
	if err := polyglot.Serve(t.Context(), folder, &in, &out); err != nil {
		t.Fatal(err)
	}
	var ready wire.Ready
	if err := wire.Read(&out, &ready); err != nil || ready.Engine != polyglot.Version {
		t.Fatalf("ready: %+v, %v", ready, err)
	}
	for i, want := range []string{`"column":"é😀"`, "Parse error", "", "unknown variant", `"column":"a"`} {
		var reply wire.Reply
		if err := wire.Read(&out, &reply); err != nil || reply.ID != questions[i].ID {
			t.Fatalf("reply %d: %+v, %v", i+1, reply.ID, err)
		}
		answered := want != "" && want[0] == '"'
		if text := string(reply.Analysis) + reply.Error; !strings.Contains(text, want) || answered != (reply.Error == "") {
			t.Errorf("reply %d: %.300s", i+1, text)
		}
	}
}

// TestWideTable: 10,000 columns through a star.
func TestWideTable(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("column_%d", i))
	}
	answer, err := enginetest.Reader(t).Read(context.Background(), columns.Query{
		SQL: "select * from shop.wide", Dialect: "postgres", Schema: columns.Schema{"shop.wide": names},
	})
	if err != nil || answer.Rung != columns.Catalog || len(answer.Outputs) != len(names) {
		t.Fatalf("%s, %d columns, %s, %v", answer.Rung, len(answer.Outputs), answer.Why, err)
	}
	for i, o := range answer.Outputs {
		if o.Name != names[i] || len(o.From) != 1 || o.From[0] != (columns.Column{Table: "shop.wide", Column: names[i]}) {
			t.Fatalf("column %d: %+v", i, o)
		}
	}
}
