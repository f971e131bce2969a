package lineage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The names of the sources of what is read beside a manifest.
const (
	SourceCatalog    = "dbt catalog"
	SourceRunResults = "dbt run results"
	SourceModelSQL   = "dbt model SQL" // read out of the SQL of dbt models: see package columns
)

// artifactMetadata is the head that all of dbt's artifacts share.
type artifactMetadata struct {
	SchemaVersion looseText `json:"dbt_schema_version"`
	GeneratedAt   looseText `json:"generated_at"`
}

// check reads the kind and the version of an artifact, such as
// https://schemas.getdbt.com/dbt/catalog/v1.json, and returns its age.
func (m artifactMetadata) check(kind string, newest int, otherwise time.Time) (time.Time, error) {
	_, version, found := strings.Cut(string(m.SchemaVersion), "/"+kind+"/v")
	var number int
	if _, err := fmt.Sscanf(version, "%d.json", &number); !found || err != nil {
		return time.Time{}, fmt.Errorf("metadata.dbt_schema_version is %q: it is not a dbt %s", m.SchemaVersion, kind)
	}
	if number < 1 || number > newest {
		return time.Time{}, fmt.Errorf("its schema is v%d, dw reads v1 to v%d: make it with another version of dbt", number, newest)
	}
	if m.GeneratedAt == "" {
		return otherwise.UTC(), nil
	}
	at, err := time.Parse(time.RFC3339Nano, string(m.GeneratedAt))
	if err != nil {
		return time.Time{}, fmt.Errorf("metadata.generated_at: %q is not a time", m.GeneratedAt)
	}
	return at.UTC(), nil
}

// readArtifact decodes a whole artifact, plain or gzip, under the size limit.
func readArtifact(r io.Reader, limit int64, into any) error {
	text, err := openManifest(r, limit)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(text)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("near byte %d: %w", decoder.InputOffset(), early(err))
	}
	// What follows, if only the checksum of gzip, says whether the file is whole.
	_, err = decoder.Token()
	switch {
	case err == nil:
		return errors.New("more text follows its end")
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("after its end: %w", early(err))
	}
	return nil
}

// early says what an unexpected end means.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends too early, it may be truncated: %w", err)
	}
	return err
}

// beside turns unique ids into statements about the assets of a manifest.
type beside struct {
	prefix string
	known  map[AssetID]bool
	from   Provenance
}

func newBeside(assets []Asset, source string, at time.Time) beside {
	b := beside{known: make(map[AssetID]bool, len(assets)), from: Provenance{Source: source, SeenAt: at, How: HowObserved}}
	for _, a := range assets {
		b.known[a.ID] = true
		if rest, found := strings.CutPrefix(string(a.ID), "dbt://"); found && b.prefix == "" {
			project, _, _ := strings.Cut(rest, "/")
			b.prefix = "dbt://" + project + "/"
		}
	}
	return b
}

// statement begins what the artifact says of an entry, and reports whether the
// entry is an asset. One that the manifest does not hold is shown under its own
// name rather than dropped.
func (b beside) statement(unique string) (Asset, bool, error) {
	resource, rest, _ := strings.Cut(unique, ".")
	kind, isAsset := dbtKinds()[resource]
	if !isAsset {
		return Asset{}, false, nil
	}
	if b.prefix == "" {
		return Asset{}, false, errors.New("the manifest that it belongs to has no asset")
	}
	a := Asset{ID: AssetID(b.prefix + unique), Properties: map[string]string{}, From: []Provenance{b.from}}
	if !b.known[a.ID] {
		a.Kind = kind
		_, a.Name, _ = strings.Cut(rest, ".")
		a.Properties["dbt.described"] = "no, only in the " + strings.TrimPrefix(b.from.Source, "dbt ")
	}
	return a, true, nil
}

func sortStatements(assets []Asset) []Asset {
	slices.SortFunc(assets, func(a, b Asset) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return assets
}
