package config

import (
	"fmt"
	"regexp"
)

// Signals says which other tools send what they find.
type Signals struct {
	Sources []SignalSource `yaml:"sources"`
}

// SignalSource is one tool that sends to POST /intake/signals/NAME.
type SignalSource struct {
	Name   string            `yaml:"name"`
	Tool   string            `yaml:"tool"`
	Tokens []Secret          `yaml:"tokens"` // bearer tokens; several for rotation
	Keys   []Secret          `yaml:"keys"`   // secrets that requests are signed with; several for rotation
	Domain string            `yaml:"domain"` // of what belongs to no asset that is known
	Assets map[string]string `yaml:"assets"` // by what the tool calls a check, suite, monitor or asset
}

// sourceName keeps a source's name usable in an address.
var sourceName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// checkSignals checks what needs neither a tool nor the graph.
func (c *Config) checkSignals(add adder) {
	seen := map[string]bool{}
	for i, s := range c.Signals.Sources {
		key := fmt.Sprintf("signals.sources[%d]", i)
		switch {
		case !sourceName.MatchString(s.Name):
			add(key+".name", "must be 1 to 40 of a-z, 0-9, dash, underscore; it ends the address /intake/signals/NAME")
		case seen[s.Name]:
			add(key+".name", "%q stands here twice", s.Name)
		}
		seen[s.Name] = true
		if _, known := c.Domains[s.Domain]; !known {
			add(key+".domain", "%q is not in domains; it is told of signals about unknown assets", s.Domain)
		}
	}
}
