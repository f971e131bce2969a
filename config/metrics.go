package config

// Metrics says who may push values to POST /intake/metrics. Checks read them over a
// connection of kind pushed.
type Metrics struct {
	Tokens []Secret `yaml:"tokens"` // bearer tokens; several for rotation
	Keys   []Secret `yaml:"keys"`   // secrets that requests are signed with; several for rotation
}

// checkPushed reports keys that a connection to pushed metrics does not have.
func (c Connection) checkPushed(add adder, key string) {
	foreign := func(is bool, name string) {
		if is {
			add(key+"."+name, "is no key of kind pushed, whose values dw keeps itself")
		}
	}
	foreign(c.Path != "", "path")
	foreign(!c.DSN.Empty(), "dsn")
	foreign(len(c.Schemas) > 0, "schemas")
	foreign(c.LockTimeout != 0, "lock_timeout")
	foreign(c.MaxCost != 0, "max_cost")
	foreign(c.MaxRowsScanned != 0, "max_rows_scanned")
}
