package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"dw/lineage"
)

// lineage tells how old each dbt manifest is: an answer from it is as old.
func (x *examination) lineage(context.Context) []Finding {
	var f found
	if x.project == nil {
		f.skip("the configuration is wrong; correct it first")
		return f.list
	}
	for _, m := range x.project.Config.Lineage.Manifests {
		at, err := manifestTime(m.Path)
		age := x.o.Now().Sub(at)
		switch {
		case err != nil:
			f.add(Fail, m.Path, "let dbt write it again, and correct lineage.manifests", err.Error())
		case at.IsZero():
			f.add(Warn, m.Path, "let dbt write it again", "does not say when it was written, so its age is not known")
		case age > manifestOld:
			f.add(Warn, m.Path, "copy the manifest of the newest dbt run to "+m.Path+" after each run",
				fmt.Sprintf("the manifest is %d days old; what dw says of lineage is as old", int(age/(24*time.Hour))))
		default:
			f.ok(m.Path, fmt.Sprintf("the manifest was written %s ago", age.Round(time.Minute)))
		}
	}
	if len(x.project.Config.Lineage.Manifests) == 0 {
		f.ok(x.o.Config, fmt.Sprintf("no dbt manifest; %d assets from the configuration", x.project.Graph.Len()))
	}
	return f.list
}

// manifestTime is when a manifest says that it was generated; zero where it does
// not, or holds nothing.
func manifestTime(path string) (time.Time, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}, err
	}
	assets, _, err := lineage.LoadManifest(bytes.NewReader(content), lineage.ManifestOptions{})
	if err != nil || len(assets) == 0 || len(assets[0].From) == 0 {
		return time.Time{}, err
	}
	return assets[0].From[0].SeenAt, nil
}
