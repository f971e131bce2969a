package config

import (
	"fmt"
	"regexp"
)

// Signals says which other tools send what they find.
type Signals struct {
	Sources []SignalSource `yaml:"sources"`
	Files   []SignalFile   `yaml:"files"`
	Every   Duration       `yaml:"every"` // how often the files are looked at, default 1m
}

// SignalFile is a file in which a tool writes what it found, read when it changes.
type SignalFile struct {
	Name   string            `yaml:"name"`
	Tool   string            `yaml:"tool"`
	Path   string            `yaml:"path"`
	Domain string            `yaml:"domain"` // of what belongs to no asset that is known
	Assets map[string]string `yaml:"assets"` // as of a source
}

// Source is the file as a source, for finding the assets that it speaks of.
func (f SignalFile) Source() SignalSource {
	return SignalSource{Name: f.Name, Tool: f.Tool, Domain: f.Domain, Assets: f.Assets}
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
	check := func(key string, s SignalSource) {
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
	for i, s := range c.Signals.Sources {
		check(fmt.Sprintf("signals.sources[%d]", i), s)
	}
	for i, f := range c.Signals.Files {
		key := fmt.Sprintf("signals.files[%d]", i)
		check(key, f.Source())
		if f.Path == "" {
			add(key+".path", "is missing: the file that the tool writes")
		}
	}
}
