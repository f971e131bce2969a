package config

// GraphSource is a file or folder that states assets and edges of the context
// graph, beside the manifests of dbt.
type GraphSource struct {
	Kind   string `yaml:"kind"`   // openlineage, lookml, tableau, connect, kafka_connect
	Path   string `yaml:"path"`   // a file, or a folder whose files are read
	Domain string `yaml:"domain"` // of its assets where nothing else says so

	Project   string            `yaml:"project"`   // lookml, tableau: the first part of its ids
	System    string            `yaml:"system"`    // lookml: what holds the tables, "bigquery" or "postgres://db:5432"
	Database  string            `yaml:"database"`  // lookml: of tables that are named without one
	Schema    string            `yaml:"schema"`    // lookml: of tables that are named without one
	Constants map[string]string `yaml:"constants"` // lookml: override those of manifest.lkml
	Cluster   string            `yaml:"cluster"`   // connect, kafka_connect: stands in the ids of topics, "prod:9092"
}

func (c *Config) checkSource(add adder, key string, s GraphSource) {
	oneOf(add, key+".kind", s.Kind, "openlineage", "lookml", "tableau", "connect", "kafka_connect")
	if s.Path == "" {
		add(key+".path", "is missing: a file or a folder")
	}
	if s.Kind == "lookml" && s.Project == "" {
		add(key+".project", "is missing: a name for the LookML project, the first part of its ids")
	}
	if s.Kind == "tableau" && s.Project == "" {
		add(key+".project", "is missing: a name for the Tableau site, the first part of its ids")
	}
	c.checkDomainName(add, key+".domain", s.Domain)
}
