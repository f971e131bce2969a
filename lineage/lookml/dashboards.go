package lookml

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// dashboard is what dw reads of one dashboard.
type dashboard struct {
	Name        string    `yaml:"dashboard"`
	Title       string    `yaml:"title"`
	Description string    `yaml:"description"`
	Extends     textList  `yaml:"extends"`
	Extension   string    `yaml:"extension"`
	Elements    []element `yaml:"elements"`
	Filters     []element `yaml:"filters"`
}

// element is a tile or a filter: what it asks of which explore.
type element struct {
	Model   string    `yaml:"model"`
	Explore string    `yaml:"explore"`
	Fields  textList  `yaml:"fields"`
	Field   string    `yaml:"field"`
	Merged  []element `yaml:"merged_queries"`
}

// textList is a text, or a list of them. What is neither is left out: it belongs
// to the look of a tile.
type textList []string

// UnmarshalYAML is for yaml.
func (l *textList) UnmarshalYAML(n *yaml.Node) error {
	*l = nil
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		*l = textList{n.Value}
		return nil
	}
	for _, item := range n.Content {
		if n.Kind == yaml.SequenceNode && item.Kind == yaml.ScalarNode {
			*l = append(*l, item.Value)
		}
	}
	return nil
}

// dashboardFile reads the dashboards of a file, which is YAML.
func (p *project) dashboardFile(content []byte) error {
	var all []dashboard
	if err := yaml.Unmarshal(content, &all); err != nil {
		return fmt.Errorf("it is no list of dashboards: %w", err)
	}
	for i, d := range all {
		if d.Name == "" {
			return fmt.Errorf("dashboard %d has no name", i+1)
		}
		p.dashboards = append(p.dashboards, d)
	}
	return nil
}

// asks are the fields that a dashboard reads, by explore. A field may be empty:
// the explore is asked, what for is not said.
type asks map[asked][]string

type asked struct{ model, explore string }

// asksOf follows what a dashboard asks, also through what it extends.
func (p *project) asksOf(d dashboard, depth int) asks {
	out := asks{}
	for _, parent := range d.Extends {
		for _, other := range p.dashboards {
			if other.Name == parent && depth < deepestExtends {
				out.add(p.asksOf(other, depth+1))
			}
		}
	}
	for _, e := range slices.Concat(d.Elements, d.Filters) {
		out.element(e)
	}
	return out
}

func (a asks) element(e element) {
	for _, merged := range e.Merged {
		a.element(merged)
	}
	if e.Explore == "" {
		return
	}
	key := asked{e.Model, e.Explore}
	a[key] = append(a[key], e.Fields...)
	if e.Field != "" {
		a[key] = append(a[key], e.Field)
	}
}

func (a asks) add(other asks) {
	for key, fields := range other {
		a[key] = append(a[key], fields...)
	}
}

// explores lists the explores asked, in order.
func (a asks) explores() []asked {
	return slices.SortedFunc(maps.Keys(a), func(x, y asked) int {
		return cmp.Or(cmp.Compare(x.model, y.model), cmp.Compare(x.explore, y.explore))
	})
}
