package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"dw/checks"
)

// adviser is a connection that can say how it is guarded: the rights of its
// role, its limits. Each line is advice; none means that nothing is to be said.
type adviser interface {
	Advice(ctx context.Context) ([]string, error)
}

// connections opens each database and looks up what the checks name in it.
func (x *examination) connections(ctx context.Context) []Finding {
	var f found
	if x.project == nil {
		f.skip("the configuration is wrong; correct it first")
		return f.list
	}
	for _, name := range slices.Sorted(maps.Keys(x.project.Config.Connections)) {
		q, err := x.project.Querier(name)
		if err != nil {
			f.add(Fail, "connections."+name, "correct connections."+name+", or let the user of dw read the database", err.Error())
			continue
		}
		f.ok("connections."+name, "opened for reading only ("+q.Dialect()+")")
		f.advice(ctx, name, q)
		x.names(ctx, &f, name, q)
	}
	return f.list
}

func (f *found) advice(ctx context.Context, name string, q checks.Querier) {
	guarded, ok := q.(adviser)
	if !ok {
		return
	}
	lines, err := guarded.Advice(ctx)
	if err != nil {
		f.add(Warn, "connections."+name, "", "how it is guarded could not be asked: "+err.Error())
	}
	for _, line := range lines {
		f.add(Warn, "connections."+name, line, line)
	}
}

// names looks up the tables and columns of every check of a connection.
func (x *examination) names(ctx context.Context, f *found, connection string, q checks.Querier) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	good := 0
	for i, spec := range x.project.Specs {
		if spec.Connection != connection {
			continue
		}
		err := checks.Names(ctx, q, spec)
		if err == nil {
			good++
			continue
		}
		at := x.project.Config.Problem(fmt.Sprintf("checks[%d]", i), "")
		f.add(Fail, fmt.Sprintf("%s:%d", at.File, at.Line), doAboutName(spec, err), fmt.Sprintf("check %q: %v", spec.Name, err))
	}
	if good > 0 {
		f.ok("connections."+connection, fmt.Sprintf("%d checks find their tables and columns", good))
	}
}

func doAboutName(spec checks.Spec, err error) string {
	table, noTable := errors.AsType[*checks.MissingTableError](err)
	column, noColumn := errors.AsType[*checks.MissingColumnError](err)
	switch {
	case noTable && len(table.Near) > 0:
		return fmt.Sprintf("correct the table of check %q: is it %s?", spec.Name, table.Near[0])
	case noTable:
		return fmt.Sprintf("correct the table of check %q, or give dw's role the right to see it", spec.Name)
	case noColumn && len(column.Near) > 0:
		return fmt.Sprintf("correct the column of check %q: is it %s?", spec.Name, column.Near[0])
	default:
		return fmt.Sprintf("correct check %q", spec.Name)
	}
}
