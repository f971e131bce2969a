package lineage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// manifestEntry is one entry of a manifest, of any resource type. It names only
// what dw uses; dbt adds keys with every version.
type manifestEntry struct {
	UniqueID      looseText      `json:"unique_id"`
	ResourceType  looseText      `json:"resource_type"`
	Name          looseText      `json:"name"`
	PackageName   looseText      `json:"package_name"`
	File          looseText      `json:"original_file_path"`
	Alias         looseText      `json:"alias"`
	Identifier    looseText      `json:"identifier"`
	SourceName    looseText      `json:"source_name"`
	RelationName  looseText      `json:"relation_name"`
	Description   looseText      `json:"description"`
	Columns       columnNames    `json:"columns"`
	Meta          manifestMeta   `json:"meta"`
	Group         looseText      `json:"group"`
	Config        manifestConfig `json:"config"`
	DependsOn     dependsOn      `json:"depends_on"`
	Version       looseText      `json:"version"`
	LatestVersion looseText      `json:"latest_version"`
	Owner         manifestOwner  `json:"owner"` // exposures only
	Type          looseText      `json:"type"`
	Maturity      looseText      `json:"maturity"`
	URL           looseText      `json:"url"`
	Label         looseText      `json:"label"`
	Checksum      entryChecksum  `json:"checksum"` // of the file that defines it
	CompiledCode  looseText      `json:"compiled_code"`
	CompiledSQL   looseText      `json:"compiled_sql"` // before dbt 1.3
}

// entryChecksum is an object in every version that has one; whatever else stands
// there is no checksum.
type entryChecksum struct{ sum string }

// UnmarshalJSON is for encoding/json.
func (c *entryChecksum) UnmarshalJSON(text []byte) error {
	var object struct {
		Checksum string `json:"checksum"`
	}
	if json.Unmarshal(text, &object) == nil {
		c.sum = object.Checksum
	}
	return nil
}

type manifestConfig struct {
	Meta         manifestMeta `json:"meta"`
	Group        looseText    `json:"group"`
	Materialized looseText    `json:"materialized"`
}

type manifestMeta struct {
	Owner manifestOwner `json:"owner"`
}

type dependsOn struct {
	Nodes []string `json:"nodes"`
}

// looseText is a text that some versions of dbt write as a number or a boolean.
type looseText string

// UnmarshalJSON is for encoding/json. Lists and objects are errors.
func (t *looseText) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case 'n':
		*t = ""
	case '"':
		return json.Unmarshal(text, (*string)(t))
	case '{', '[':
		return fmt.Errorf("want a text, found %.20s", text)
	default:
		*t = looseText(text)
	}
	return nil
}

// columnNames holds the keys of an object in the order of the file.
type columnNames []string

// UnmarshalJSON is for encoding/json.
func (c *columnNames) UnmarshalJSON(text []byte) error {
	*c = nil
	d := &manifestDecoder{json: json.NewDecoder(bytes.NewReader(text))}
	return d.object(func(key string) error {
		var column struct {
			Name looseText `json:"name"`
		}
		if err := d.json.Decode(&column); err != nil {
			return fmt.Errorf("column %q: %w", key, err)
		}
		if column.Name != "" {
			key = string(column.Name)
		}
		*c = append(*c, key)
		return nil
	})
}

// manifestOwner is who owns an entry. Groups and exposures have a name and one
// or more mail addresses; meta is free text, so it may be a list, too.
type manifestOwner struct {
	Names  []string
	Emails []string
}

// UnmarshalJSON is for encoding/json. It takes a text, a list of texts, or an
// object with name and email. Any other form names nobody.
func (o *manifestOwner) UnmarshalJSON(text []byte) error {
	*o = manifestOwner{}
	if text[0] != '{' {
		o.Names = textOrList(text)
		return nil
	}
	var owner struct {
		Name  json.RawMessage `json:"name"`
		Email json.RawMessage `json:"email"`
	}
	if err := json.Unmarshal(text, &owner); err != nil {
		return err
	}
	o.Names, o.Emails = textOrList(owner.Name), textOrList(owner.Email)
	return nil
}

func textOrList(text json.RawMessage) []string {
	var one string
	var many []string
	if json.Unmarshal(text, &one) == nil {
		many = []string{one}
	} else if json.Unmarshal(text, &many) != nil {
		return nil
	}
	var out []string
	for _, s := range many {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// UnmarshalJSON is for encoding/json. meta belongs to the project's people, so
// what has another form than an object is not an error.
func (m *manifestMeta) UnmarshalJSON(text []byte) error {
	*m = manifestMeta{}
	if text[0] != '{' {
		return nil
	}
	type plain manifestMeta
	return json.Unmarshal(text, (*plain)(m))
}
