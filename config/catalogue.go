package config

import "fmt"

// Catalogue is a warehouse whose catalogue states tables, views and columns of the
// context graph.
type Catalogue struct {
	Connection string   `yaml:"connection"` // of kind postgres
	Schemas    []string `yaml:"schemas"`    // default: all but PostgreSQL's own
	Domain     string   `yaml:"domain"`     // of its tables where nothing else says so
}

func (c *Config) checkCatalogues(add adder) {
	for i, one := range c.Lineage.Catalogues {
		key := fmt.Sprintf("lineage.catalogues[%d]", i)
		connection, known := c.Connections[one.Connection]
		switch {
		case one.Connection == "":
			add(key+".connection", "is missing: one of connections")
		case !known:
			add(key+".connection", "%q is not in connections", one.Connection)
		case connection.Kind != KindPostgres:
			add(key+".connection", "%q is of kind %s; dw reads the catalogue of PostgreSQL alone", one.Connection, connection.Kind)
		}
		c.checkDomainName(add, key+".domain", one.Domain)
	}
}
