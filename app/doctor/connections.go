package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"dw/app"
	"dw/checks"
)

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
		if f.advice(ctx, x.project, name, q.Dialect()) {
			x.names(ctx, &f, name, q)
		}
	}
	return f.list
}

// advice connects and says what should be otherwise with role and server; it
// reports whether the connection answers.
func (f *found) advice(ctx context.Context, p *app.Project, name, dialect string) bool {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	lines, err := p.Advise(ctx, name)
	if err != nil {
		f.add(Fail, "connections."+name, "let this machine and dw's role reach the database of connections."+name, err.Error())
		return false
	}
	f.ok("connections."+name, "answers, read-only ("+dialect+")")
	for _, line := range lines {
		f.add(Warn, "connections."+name, line, line)
	}
	return true
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
