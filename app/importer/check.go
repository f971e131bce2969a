// Package importer turns the tests that a team has in other tools into checks of
// dw: it writes the YAML, and says of every test that it leaves out why.
package importer

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Check is one check as it stands in dw's configuration. Empty keys are left
// out.
type Check struct {
	Name       string            `yaml:"name"`
	Kind       string            `yaml:"kind"`
	Asset      string            `yaml:"asset,omitempty"`
	Connection string            `yaml:"connection"`
	Table      string            `yaml:"table,omitempty"`
	Where      string            `yaml:"where,omitempty"`
	TimeColumn string            `yaml:"time_column,omitempty"`
	Bucket     string            `yaml:"bucket,omitempty"`
	Columns    []string          `yaml:"columns,omitempty,flow"`
	Dimensions []string          `yaml:"dimensions,omitempty,flow"`
	Values     []string          `yaml:"values,omitempty,flow"`
	Regex      string            `yaml:"regex,omitempty"`
	Length     string            `yaml:"length,omitempty"`
	Min        *float64          `yaml:"min,omitempty"`
	Max        *float64          `yaml:"max,omitempty"`
	To         string            `yaml:"to,omitempty"`
	ToColumns  []string          `yaml:"to_columns,omitempty,flow"`
	Expression string            `yaml:"expression,omitempty"`
	Forbidden  []string          `yaml:"forbidden,omitempty,flow"`
	Types      map[string]string `yaml:"types,omitempty"`
	AllowNew   bool              `yaml:"allow_new,omitempty"`
	Threshold  string            `yaml:"threshold,omitempty"`
	Warn       string            `yaml:"warn,omitempty"`
	Fail       string            `yaml:"fail,omitempty"`
	MaxAge     string            `yaml:"max_age,omitempty"`
	By         string            `yaml:"by,omitempty"`
	Zone       string            `yaml:"zone,omitempty"`
	Query      string            `yaml:"query,omitempty"`
	Severity   string            `yaml:"severity,omitempty"`
	Schedule   string            `yaml:"schedule"`
}

// Skipped is a test that became no check.
type Skipped struct {
	Name string
	Why  string
}

// Report is what an import found.
type Report struct {
	Checks  []Check
	Skipped []Skipped
}

func (r *Report) skip(name, format string, args ...any) {
	r.Skipped = append(r.Skipped, Skipped{Name: name, Why: fmt.Sprintf(format, args...)})
}

// Options say what the other tool does not know.
type Options struct {
	Connection string // of dw, where the tables are
	Schedule   string // of every check
}

// YAML writes the checks as the list `checks` of dw's configuration.
func (r Report) YAML() (string, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(map[string][]Check{"checks": r.Checks}); err != nil {
		return "", fmt.Errorf("write the checks: %w", err)
	}
	return b.String(), nil
}

// add keeps names unique, as dw wants them, and fills in what all checks have.
func (r *Report) add(c Check, o Options) {
	c.Connection, c.Schedule = o.Connection, o.Schedule
	name := c.Name
	for n := 2; r.named(c.Name); n++ {
		c.Name = fmt.Sprintf("%s #%d", name, n)
	}
	r.Checks = append(r.Checks, c)
}

func (r *Report) named(name string) bool {
	for _, c := range r.Checks {
		if c.Name == name {
			return true
		}
	}
	return false
}

var plainColumn = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

// column takes the quotes off a column's name; it is false for an expression.
func column(name string) (string, bool) {
	name = strings.Trim(strings.TrimSpace(name), "\"`[]")
	return name, plainColumn.MatchString(name)
}

// inverse turns a condition that must not hold into the one that passes.
func inverse(condition string) (string, bool) {
	rest := strings.TrimSpace(condition)
	for _, pair := range [][2]string{{">=", "<"}, {"<=", ">"}, {"!=", "="}, {"<>", "="}, {"==", "!="}, {">", "<="}, {"<", ">="}, {"=", "!="}} {
		if number, ok := strings.CutPrefix(rest, pair[0]); ok {
			return pair[1] + " " + strings.TrimSpace(number), true
		}
	}
	return "", false
}
