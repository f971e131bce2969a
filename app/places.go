package app

import (
	"errors"
	"fmt"
	"strings"

	"dw/config"
	"dw/lineage"
)

// places are the keys at which assets and edges are stated, by how an error of
// the graph begins that is about them. Package lineage knows no files.
type places map[string][]string

func (p places) add(about, key string) { p[about] = append(p[about], key) }

func (p places) asset(id lineage.AssetID, key string) {
	p.add(fmt.Sprintf("asset %s: ", id), key)
	p.add(fmt.Sprintf("asset %q: ", string(id)), key)
}

func (p places) edge(e lineage.Edge, key string) {
	p.add(fmt.Sprintf("edge %s -> %s: ", e.From, e.To), key)
}

// problems splits an error of the graph's build into one problem for each thing
// that is wrong.
func (p places) problems(c *config.Config, err error) config.Problems {
	var out config.Problems
	for _, one := range parts(err) {
		out = append(out, c.Problem(p.take(one.Error()), "%v", one))
	}
	return out
}

// take returns where what a message is about is stated. The same statement made
// twice is wrong twice: the second message is about the second place.
func (p places) take(message string) string {
	for about, keys := range p {
		if !strings.HasPrefix(message, about) {
			continue
		}
		if len(keys) > 1 {
			p[about] = keys[1:]
		}
		return keys[0]
	}
	return "lineage"
}

// parts returns the errors that one joins, or the error itself.
func parts(err error) []error {
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
