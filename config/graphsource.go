package config

// GraphSource is a file or folder that states assets and edges of the context
// graph, beside the manifests of dbt.
type GraphSource struct {
	Kind   string `yaml:"kind"`   // openlineage
	Path   string `yaml:"path"`   // a file, or a folder whose files are read
	Domain string `yaml:"domain"` // of its assets where nothing else says so
}

func (c *Config) checkSource(add adder, key string, s GraphSource) {
	oneOf(add, key+".kind", s.Kind, "openlineage")
	if s.Path == "" {
		add(key+".path", "is missing: a file or a folder")
	}
	c.checkDomainName(add, key+".domain", s.Domain)
}
