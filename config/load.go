package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

const maxSize = 4 << 20

type position struct{ line, column int }

// Sources are where values outside the file come from.
type Sources struct {
	Getenv   func(string) (string, bool)
	ReadFile func(string) ([]byte, error)
}

// OS reads the environment and files of this machine.
func OS() Sources { return Sources{Getenv: os.LookupEnv, ReadFile: os.ReadFile} }

// Load reads a file. Relative paths in it are relative to its folder; the
// error is a Problems with every problem of the file.
func Load(path string, from Sources) (*Config, error) {
	content, err := from.ReadFile(path)
	if err != nil {
		return nil, Problems{{File: path, What: fmt.Sprintf("cannot be read: %v", err)}}
	}
	return Parse(path, content, from)
}

// Parse reads content as Load does; path is for messages and relative paths.
func Parse(path string, content []byte, from Sources) (*Config, error) {
	root, problems := parseTree(path, content)
	if problems != nil {
		return nil, problems
	}
	folder := filepath.Dir(path)
	d := &decoder{file: path, getenv: from.Getenv, at: map[string]*yaml.Node{}, readFile: func(name string) ([]byte, error) {
		return from.ReadFile(resolve(folder, name))
	}}
	c := &Config{file: path}
	d.value(root, reflect.ValueOf(c).Elem(), "")
	c.at = make(map[string]position, len(d.at))
	for key, node := range d.at {
		c.at[key] = position{node.Line, node.Column}
	}
	c.applyDefaults(folder)
	problems = append(d.problems, d.problems.without(c.validate())...)
	if len(problems) > 0 {
		return c, problems.sorted()
	}
	return c, nil
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

func parseTree(path string, content []byte) (*yaml.Node, Problems) {
	if len(content) > maxSize {
		return nil, Problems{{File: path, What: fmt.Sprintf("is %d bytes; a configuration has at most %d", len(content), maxSize)}}
	}
	var document yaml.Node
	reader := yaml.NewDecoder(bytes.NewReader(content))
	err := reader.Decode(&document)
	if errors.Is(err, io.EOF) || err == nil && (len(document.Content) == 0 || document.Content[0].Tag == "!!null") {
		return nil, Problems{{File: path, What: "is empty; config.example.yaml is a complete one"}}
	}
	if err != nil {
		return nil, Problems{syntaxProblem(path, err)}
	}
	if err := reader.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, Problems{{File: path, What: "holds more than one YAML document"}}
	}
	return document.Content[0], nil
}

func syntaxProblem(path string, err error) Problem {
	p := Problem{File: path, What: "is no valid YAML: " + err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Column = 1
		p.What = "is no valid YAML: " + m[2]
	}
	return p
}

// File returns the path that the configuration was read from.
func (c *Config) File() string { return c.file }

// Problem makes a problem at the line of key. Where the key is absent from the
// file it stands at its nearest parent that is there.
func (c *Config) Problem(key, format string, args ...any) Problem {
	p := Problem{File: c.file, Key: key, What: fmt.Sprintf(format, args...)}
	for at := key; ; at = parent(at) {
		if pos, ok := c.at[at]; ok {
			p.Line, p.Column = pos.line, pos.column
			return p
		}
		if at == "" {
			return p
		}
	}
}

var lastPart = regexp.MustCompile(`(\.[^.\[\]]+|\[\d+\])$`)

func parent(key string) string {
	if cut := lastPart.FindStringIndex(key); cut != nil {
		return key[:cut[0]]
	}
	return ""
}

func resolve(folder, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
