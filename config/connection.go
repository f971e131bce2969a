package config

import "os"

// The kinds of Connection.
const (
	KindSQLite   = "sqlite"
	KindPostgres = "postgres"
	KindPushed   = "pushed"
)

// Connection is one database to read.
type Connection struct {
	Kind           string   `yaml:"kind"`             // sqlite, postgres, or pushed: what came to /intake/metrics
	Path           string   `yaml:"path"`             // sqlite: the file
	DSN            Secret   `yaml:"dsn"`              // postgres: URL or key=value, as libpq reads it
	Schemas        []string `yaml:"schemas"`          // postgres: searched for names without a schema; default: the role's search_path
	Timeout        Duration `yaml:"timeout"`          // one query, default 30s
	LockTimeout    Duration `yaml:"lock_timeout"`     // postgres: waiting for one lock, default 5s
	MaxRows        int      `yaml:"max_rows"`         // of one answer, default 10000
	MaxCost        float64  `yaml:"max_cost"`         // postgres: planner's total cost of a query, default no limit
	MaxRowsScanned int      `yaml:"max_rows_scanned"` // postgres: planner's estimate of the rows that a query reads, default no limit
}

// check reports what is wrong with a connection, without connecting. Whether a
// DSN can be read is for the connector to say.
func (c Connection) check(add adder, key string) {
	oneOf(add, key+".kind", c.Kind, KindSQLite, KindPostgres, KindPushed)
	if c.MaxRows < 0 {
		add(key+".max_rows", "is negative")
	}
	switch c.Kind {
	case KindSQLite:
		c.checkSQLite(add, key)
	case KindPostgres:
		c.checkPostgres(add, key)
	case KindPushed:
		c.checkPushed(add, key)
	}
}

func (c Connection) checkSQLite(add adder, key string) {
	foreign := func(is bool, name string) {
		if is {
			add(key+"."+name, "is a key of kind postgres")
		}
	}
	foreign(!c.DSN.Empty(), "dsn")
	foreign(len(c.Schemas) > 0, "schemas")
	foreign(c.LockTimeout != 0, "lock_timeout")
	foreign(c.MaxCost != 0, "max_cost")
	foreign(c.MaxRowsScanned != 0, "max_rows_scanned")
	if c.Path == "" {
		add(key+".path", "is missing: the database file")
		return
	}
	if _, err := os.Stat(c.Path); err != nil {
		add(key+".path", "cannot be read: %v", err)
	}
}

func (c Connection) checkPostgres(add adder, key string) {
	if c.Path != "" {
		add(key+".path", "is a key of kind sqlite")
	}
	if c.DSN.Empty() {
		add(key+".dsn", "is missing: postgres://USER@HOST:5432/DATABASE, as ${NAME} or dsn_file, since it holds a password")
	}
	if c.MaxCost < 0 {
		add(key+".max_cost", "is negative")
	}
	if c.MaxRowsScanned < 0 {
		add(key+".max_rows_scanned", "is negative")
	}
	for _, schema := range c.Schemas {
		if schema == "" {
			add(key+".schemas", "holds an empty name")
		}
	}
}
