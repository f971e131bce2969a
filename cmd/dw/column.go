package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/lineage"
)

// asked is what a question is about: an asset of a graph, or one of its columns.
type asked struct {
	graph  *lineage.Graph
	asset  lineage.Asset
	column string
	now    time.Time
	// note says why columns that are read out of SQL are missing; empty where an
	// engine has read them.
	note string
}

// about finds ASSET or ASSET.COLUMN. Columns are read out of SQL only where one is
// asked for, or where want says that the answer needs them.
func (f *graphFlags) about(cmd *cobra.Command, name string, want bool) (asked, error) {
	graph, now, err := f.load(cmd)
	if err != nil {
		return asked{}, err
	}
	q := asked{graph: graph, now: now}
	q.asset, err = graph.Resolve(name)
	var unknown *lineage.UnknownAssetError
	if err == nil && !want {
		return q, nil
	}
	if err != nil && (!errors.As(err, &unknown) || !strings.Contains(name, ".")) {
		return q, assetError(err)
	}
	if q.graph, q.note, err = f.withColumns(cmd); err != nil {
		return q, &exitError{exitUnasked, err}
	}
	if q.asset, q.column, err = q.graph.ResolveColumn(name); err != nil {
		return q, columnError(err)
	}
	return q, nil
}

// columnError gives an unknown column the exit code of an unknown asset.
func columnError(err error) error {
	if _, ok := errors.AsType[*lineage.UnknownColumnError](err); ok {
		return &exitError{exitUnknown, err}
	}
	return assetError(err)
}

// withColumns is the graph with what is read out of SQL.
func (f *graphFlags) withColumns(cmd *cobra.Command) (_ *lineage.Graph, note string, err error) {
	worker, reader, err := keptReader()
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, worker.Close()) }()
	if why := engineProblem(); why != "" {
		note = "columns are not read out of SQL: " + why
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	if f.project == nil {
		graph, err := app.GraphOfModels(cmd.Context(), f.manifest, f.catalog, reader)
		return graph, note, err
	}
	err = f.project.ReadColumns(cmd.Context(), reader)
	return f.project.Current(), note, err
}

// explainColumn answers `dw explain ASSET.COLUMN`.
func explainColumn(out io.Writer, q asked, asJSON bool) error {
	explanation, err := q.graph.ExplainColumn(q.asset.ID, q.column, q.now, q.note)
	if err != nil {
		return assetError(err)
	}
	if asJSON {
		return printJSON(out, explanation)
	}
	printLines(out, explanation.Facts)
	return nil
}

// tracedColumn is the answer of `dw trace ASSET.COLUMN` in JSON.
type tracedColumn struct {
	Asset  lineage.AssetID      `json:"asset"`
	Column string               `json:"column"`
	Up     []lineage.ColumnStep `json:"up,omitempty"`
	Down   []lineage.ColumnStep `json:"down,omitempty"`
	Note   string               `json:"note,omitempty"` // why columns of SQL are missing
}

// traceColumn answers `dw trace ASSET.COLUMN`.
func traceColumn(out io.Writer, q asked, up, down bool, depth int, asJSON bool) error {
	answer := tracedColumn{Asset: q.asset.ID, Column: q.column, Note: q.note}
	var err error
	if up {
		if answer.Up, err = q.graph.TraceColumn(q.asset.ID, q.column, true, depth); err != nil {
			return assetError(err)
		}
	}
	if down {
		if answer.Down, err = q.graph.TraceColumn(q.asset.ID, q.column, false, depth); err != nil {
			return assetError(err)
		}
	}
	if asJSON {
		return printJSON(out, answer)
	}
	printColumnSteps(out, "comes from", up, answer.Up)
	printColumnSteps(out, "feeds", down, answer.Down)
	return nil
}

func printColumnSteps(out io.Writer, label string, wanted bool, steps []lineage.ColumnStep) {
	if !wanted {
		return
	}
	fmt.Fprintf(out, "%s: %d\n", label, len(steps))
	for _, s := range steps {
		fmt.Fprintf(out, "%s%s  (%s, %s)\n", strings.Repeat("  ", s.Depth), s.Text(), s.Source, s.By)
	}
}
