package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// EnvFileName is the file beside a configuration whose lines NAME=VALUE stand in
// for environment variables that are not set.
const EnvFileName = ".env"

// WithEnvFile returns sources in which the .env file beside the configuration at
// path, if there is one, fills in what the environment does not set; the
// environment always wins. The error is a Problems that names each wrong line
// and no value.
func WithEnvFile(path string, from Sources) (Sources, error) {
	file := filepath.Join(filepath.Dir(path), EnvFileName)
	content, err := from.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return from, nil
	}
	if err != nil {
		return from, Problems{{File: file, What: fmt.Sprintf("cannot be read: %v", err)}}
	}
	values, problems := parseEnv(file, content)
	if len(problems) > 0 {
		return from, problems
	}
	outer := from.Getenv
	from.Getenv = func(name string) (string, bool) {
		if value, set := outer(name); set {
			return value, true
		}
		value, set := values[name]
		return value, set
	}
	return from, nil
}

var envLine = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)

// parseEnv reads NAME=VALUE lines. Blank lines and those that begin with # are
// skipped; a value may stand in single or double quotes, in which nothing is
// replaced. systemd's EnvironmentFile and a shell read such a file the same way.
func parseEnv(file string, content []byte) (map[string]string, Problems) {
	if len(content) > maxSize {
		return nil, Problems{{File: file, What: fmt.Sprintf("is %d bytes; an environment file has at most %d", len(content), maxSize)}}
	}
	values := map[string]string{}
	var problems Problems
	fail := func(line int, what string) {
		problems = append(problems, Problem{File: file, Line: line, Column: 1, What: what})
	}
	for i, raw := range bytes.Split(content, []byte("\n")) {
		line := strings.TrimSpace(string(raw))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		match := envLine.FindStringSubmatch(line)
		if match == nil {
			fail(i+1, "is no line of the form NAME=VALUE")
			continue
		}
		value, ok := unquote(match[2])
		if !ok {
			fail(i+1, "the quote around the value of "+match[1]+" is not closed")
			continue
		}
		if _, again := values[match[1]]; again {
			fail(i+1, match[1]+" stands here twice")
		}
		values[match[1]] = value
	}
	return values, problems
}

// unquote takes the quotes off a value; false where one is not closed.
func unquote(value string) (string, bool) {
	if value == "" || value[0] != '\'' && value[0] != '"' {
		return value, true
	}
	if len(value) < 2 || value[len(value)-1] != value[0] {
		return "", false
	}
	return value[1 : len(value)-1], true
}
