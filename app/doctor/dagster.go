package doctor

import (
	"context"
	"log/slog"
)

// dagster asks the orchestrator for its version.
func (x *examination) dagster(ctx context.Context) []Finding {
	var f found
	if x.c == nil || x.c.Dagster == nil {
		f.skip("not configured: dw starts no jobs and reads no schedules")
		return f.list
	}
	if x.project == nil {
		f.skip("the configuration is wrong; correct it first")
		return f.list
	}
	client, err := x.project.Dagster(slog.New(slog.DiscardHandler))
	if err != nil {
		f.add(Fail, "dagster.url", "correct dagster.url", err.Error())
		return f.list
	}
	version, err := client.Version(ctx)
	if err != nil {
		f.add(Fail, "GraphQL version", "let this machine reach dagster.url, and correct dagster.token if there is one", err.Error())
		return f.list
	}
	f.ok("GraphQL version", "Dagster "+version+" answers")
	return f.list
}
