package openlineage

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"dw/lineage"
)

// maxName is the most bytes of a namespace or a name that dw takes. The standard
// sets no limit; names of objects in a bucket have at most 1,024.
const maxName = 2048

// schemes are the spellings of a system that producers use for one another.
func schemes(scheme string) string {
	switch scheme = strings.ToLower(scheme); scheme {
	case "postgresql":
		return "postgres"
	case "s3a", "s3n":
		return "s3"
	}
	return scheme
}

// DatasetID returns the canonical id of a dataset: its namespace and its name as
// OpenLineage's naming rules write them, `postgres://host:5432/db.schema.table`
// or `file:///path`. A namespace that is no address stands in front of the name
// under `openlineage://`.
func DatasetID(namespace, name string) lineage.AssetID {
	namespace, name = strings.TrimSpace(namespace), strings.TrimSpace(name)
	if scheme, rest, found := strings.Cut(namespace, "://"); found && scheme != "" {
		return join(schemes(scheme)+"://"+strings.TrimRight(rest, "/"), name)
	}
	switch lower := strings.ToLower(namespace); {
	case lower == "file" || lower == "bigquery":
		return lineage.AssetID(lower + "://" + name)
	case strings.HasPrefix(lower, "file:/"):
		return join("file://"+strings.TrimRight(namespace[len("file:"):], "/"), name)
	}
	return join("openlineage://"+namespace, name)
}

func join(namespace, name string) lineage.AssetID {
	return lineage.AssetID(namespace + "/" + strings.TrimLeft(name, "/"))
}

// JobID returns the canonical id of a job. The `://` of a namespace that is an
// address becomes a slash.
func JobID(namespace, name string) lineage.AssetID {
	namespace = strings.Replace(strings.TrimSpace(namespace), "://", "/", 1)
	return join("job://"+strings.Trim(namespace, "/"), strings.TrimSpace(name))
}

// check refuses what names nothing.
func (i identifier) check() error {
	for _, part := range []struct {
		key   string
		value *string
	}{{"namespace", i.Namespace}, {"name", i.Name}} {
		switch {
		case part.value == nil:
			return fmt.Errorf("%s is missing", part.key)
		case strings.Trim(*part.value, " /") == "":
			return fmt.Errorf("%s is empty", part.key)
		case len(*part.value) > maxName:
			return fmt.Errorf("%s has %d bytes, at most %d", part.key, len(*part.value), maxName)
		case !utf8.ValidString(*part.value) || strings.ContainsFunc(*part.value, unicode.IsControl):
			return fmt.Errorf("%s holds characters that cannot be printed", part.key)
		}
	}
	return nil
}

var errHalfNamed = errors.New("namespace and name stand together or not at all")

// own reports that neither namespace nor name is given: the event's own job is
// meant.
func (i identifier) own() (bool, error) {
	if i.Namespace == nil && i.Name == nil {
		return true, nil
	}
	if i.Namespace == nil || i.Name == nil {
		return false, errHalfNamed
	}
	return false, nil
}

// names returns the short name of a dataset and the longer one. The dots of a
// topic, and of a file, part nothing.
func names(id lineage.AssetID, full string) (string, []string) {
	short := full
	if strings.Contains(full, "/") {
		short = strings.TrimRight(full, "/")
		short = short[strings.LastIndex(short, "/")+1:]
	} else if id.System() != "kafka" {
		short = full[strings.LastIndex(full, ".")+1:]
	}
	if short == "" || short == full {
		return full, nil
	}
	return short, []string{full}
}
