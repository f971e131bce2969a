package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dw/config"
	"dw/lineage"
	"dw/lineage/lookml"
	"dw/lineage/openlineage"
	"dw/lineage/pipes"
	"dw/lineage/tableau"
)

// source reports whether a source of the graph could be read; its statements are
// added then.
func (g *graphBuilder) source(i int) bool {
	source, key := g.c.Lineage.Sources[i], fmt.Sprintf("lineage.sources[%d].path", i)
	if g.refused(key) || g.refused(fmt.Sprintf("lineage.sources[%d].kind", i)) {
		return false
	}
	stated, err := readSource(source)
	if err != nil {
		g.problem(key, "%v", err)
		return false
	}
	for _, a := range stated.Assets {
		if a.Domain == "" {
			a.Domain = source.Domain
		}
		g.builder.AddAsset(a)
		g.places.asset(a.ID, key)
	}
	for _, e := range stated.Edges {
		g.addEdge(e, key)
	}
	return true
}

// readSource reads all that a source states.
func readSource(s config.GraphSource) (lineage.Statements, error) {
	switch s.Kind {
	case "lookml":
		return readLookML(s)
	case "tableau":
		return readFiles(s, readTableau(s), ".json")
	case "connect":
		return readFiles(s, readWhole(s, pipes.LoadConnect), ".yaml", ".yml")
	case "kafka_connect":
		return readFiles(s, readWhole(s, pipes.LoadKafkaConnect), ".json")
	}
	return readFiles(s, readEvents, ".json", ".ndjson", ".jsonl")
}

// readWhole reads a pipeline's file; the pipeline has the file's name where the
// file gives it none.
func readWhole(s config.GraphSource, load func([]byte, pipes.Options) (lineage.Statements, error)) func(string) (lineage.Statements, error) {
	return func(path string) (lineage.Statements, error) {
		file, seenAt, err := openDated(path)
		if err != nil {
			return lineage.Statements{}, err
		}
		content, err := io.ReadAll(io.LimitReader(file, mostPipeline))
		if err := errors.Join(err, file.Close()); err != nil {
			return lineage.Statements{}, fmt.Errorf("cannot be read: %w", err)
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		return load(content, pipes.Options{Name: name, Cluster: s.Cluster, SeenAt: seenAt})
	}
}

// readTableau reads one answer of Tableau's Metadata API, as old as its file.
func readTableau(s config.GraphSource) func(string) (lineage.Statements, error) {
	return func(path string) (_ lineage.Statements, err error) {
		file, seenAt, err := openDated(path)
		if err != nil {
			return lineage.Statements{}, err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		return tableau.Load(file, tableau.Options{Site: s.Project, SeenAt: seenAt})
	}
}

// mostPipeline is more than what a pipeline's reader takes, in bytes.
const mostPipeline = 8 << 20

// readLookML reads a project that is as old as its newest file.
func readLookML(s config.GraphSource) (lineage.Statements, error) {
	files, err := sourceFiles(s.Path, ".lkml", ".lookml")
	if err != nil {
		return lineage.Statements{}, err
	}
	var newest time.Time
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return lineage.Statements{}, fmt.Errorf("cannot be read: %w", err)
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return lookml.Load(os.DirFS(s.Path), lookml.Options{
		Project: s.Project, SeenAt: newest, System: s.System, Database: s.Database, Schema: s.Schema, Constants: s.Constants,
	})
}

func readFiles(s config.GraphSource, read func(path string) (lineage.Statements, error), endings ...string) (lineage.Statements, error) {
	files, err := sourceFiles(s.Path, endings...)
	if err != nil {
		return lineage.Statements{}, err
	}
	var out lineage.Statements
	for _, path := range files {
		more, err := read(path)
		if err != nil {
			return lineage.Statements{}, fmt.Errorf("%s: %w", path, err)
		}
		out.Assets = append(out.Assets, more.Assets...)
		out.Edges = append(out.Edges, more.Edges...)
	}
	return out.Folded(), nil
}

func readEvents(path string) (_ lineage.Statements, err error) {
	file, seenAt, err := openDated(path)
	if err != nil {
		return lineage.Statements{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return openlineage.Load(file, openlineage.Options{SeenAt: seenAt})
}

// openDated opens a file; what does not say when it was made is as old as it.
func openDated(path string) (*os.File, time.Time, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("cannot be read: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, time.Time{}, errors.Join(fmt.Errorf("cannot be read: %w", err), file.Close())
	}
	return file, info.ModTime(), nil
}

// sourceFiles lists the file, or the files of a folder that end in one of the
// endings, with or without .gz, in the order of their names.
func sourceFiles(path string, endings ...string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		bare := strings.TrimSuffix(file, ".gz")
		if file == path || slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(bare, end) }) {
			out = append(out, file)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", err)
	case len(out) == 0:
		return nil, fmt.Errorf("the folder has no file that ends in %s", strings.Join(endings, ", "))
	}
	return out, nil
}
