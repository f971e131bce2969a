package config_test

import (
	"errors"
	"strings"
	"testing"

	"dw/config"
)

// TestConnections: each kind takes its own keys; a DSN never prints.
func TestConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ connection, want string }{
		"postgres":                {"{kind: postgres, dsn: x, schemas: [a, b], lock_timeout: 1s, max_rows: 1, max_cost: 1.5, max_rows_scanned: 3}", ""},
		"postgres from a file":    {"{kind: postgres, dsn_file: warehouse.dsn}", ""},
		"postgres without a DSN":  {"{kind: postgres}", "connections.w.dsn: is missing"},
		"postgres with a path":    {"{kind: postgres, dsn: x, path: y}", "connections.w.path: is a key of kind sqlite"},
		"a negative cost":         {"{kind: postgres, dsn: x, max_cost: -1}", "connections.w.max_cost: is negative"},
		"negative rows to read":   {"{kind: postgres, dsn: x, max_rows_scanned: -1}", "connections.w.max_rows_scanned: is negative"},
		"negative rows":           {"{kind: postgres, dsn: x, max_rows: -1}", "connections.w.max_rows: is negative"},
		"an empty schema":         {"{kind: postgres, dsn: x, schemas: ['']}", "connections.w.schemas: holds an empty name"},
		"sqlite with a DSN":       {"{kind: sqlite, path: ., dsn: x}", "connections.w.dsn: is a key of kind postgres"},
		"sqlite with schemas":     {"{kind: sqlite, path: ., schemas: [a]}", "connections.w.schemas: is a key of kind postgres"},
		"sqlite with a cost":      {"{kind: sqlite, path: ., max_cost: 3}", "connections.w.max_cost: is a key of kind postgres"},
		"sqlite with a lock time": {"{kind: sqlite, path: ., lock_timeout: 3}", "connections.w.lock_timeout: is a key of kind postgres"},
		"sqlite with rows":        {"{kind: sqlite, path: ., max_rows_scanned: 3}", "connections.w.max_rows_scanned: is a key of kind postgres"},
		"another kind":            {"{kind: oracle}", "connections.w.kind: \"oracle\" is not one of [sqlite postgres pushed]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const secret = "postgres://dw:canary-dsn@db/shop"
			text := strings.ReplaceAll(c.connection, "dsn: x", "dsn: '"+secret+"'")
			_, err := config.Parse("c.yaml", []byte(good+"connections: {w: "+text+"}\n"), sources(map[string]string{"app.token": "xapp-canary", "warehouse.dsn": secret}))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want it to say %q", err, c.want)
			}
			var problems config.Problems
			if errors.As(err, &problems) && len(problems) != 1 {
				t.Errorf("%d problems for one fault: %v", len(problems), err)
			}
			if err != nil && strings.Contains(err.Error(), "canary-dsn") {
				t.Errorf("the DSN stands in %v", err)
			}
		})
	}
}
