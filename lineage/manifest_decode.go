package lineage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// manifest is what dw reads of a dbt manifest.
type manifest struct {
	metadata manifestMetadata
	entries  []manifestEntry // of every section that takes part in the graph
	groups   map[string]manifestOwner
}

type manifestMetadata struct {
	SchemaVersion looseText `json:"dbt_schema_version"`
	GeneratedAt   looseText `json:"generated_at"`
	ProjectName   looseText `json:"project_name"`
	AdapterType   looseText `json:"adapter_type"`
}

// decodeManifest reads section by section, so that an error can say in which
// entry it lies and a large manifest is never held as a whole.
func decodeManifest(r io.Reader) (*manifest, error) {
	d := &manifestDecoder{json: json.NewDecoder(r), out: &manifest{groups: map[string]manifestOwner{}}}
	err := d.object(d.section)
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return nil, d.locate(err)
	}
	return d.out, nil
}

type manifestDecoder struct {
	json    *json.Decoder
	out     *manifest
	where   string // the section being read
	entry   string // the entry being read
	sawMeta bool
}

// object reads an object and calls each with every key; each must read the
// value.
func (d *manifestDecoder) object(each func(key string) error) error {
	token, err := d.json.Token()
	if err != nil {
		return err
	}
	if token == nil {
		return nil // null stands for an empty section
	}
	if token != json.Delim('{') {
		return fmt.Errorf("want an object, found %v", token)
	}
	for d.json.More() {
		key, err := d.json.Token()
		if err != nil {
			return err
		}
		// The keys of an object are strings, else Token fails.
		if err := each(fmt.Sprint(key)); err != nil {
			return err
		}
	}
	_, err = d.json.Token()
	return err
}

// section reads one key of the manifest.
func (d *manifestDecoder) section(key string) error {
	d.where, d.entry = key, ""
	var err error
	switch key {
	case "metadata":
		d.sawMeta = true
		err = d.json.Decode(&d.out.metadata)
	case "nodes", "sources", "exposures", "metrics", "semantic_models", "saved_queries", "functions":
		err = d.object(d.node)
	case "groups":
		err = d.object(d.group)
	default:
		err = d.skip()
	}
	if err == nil {
		d.where, d.entry = "", ""
	}
	return err
}

func (d *manifestDecoder) node(key string) error {
	d.entry = key
	entry := manifestEntry{}
	if err := d.json.Decode(&entry); err != nil {
		return err
	}
	if entry.UniqueID == "" {
		entry.UniqueID = looseText(key)
	}
	d.out.entries = append(d.out.entries, entry)
	return nil
}

func (d *manifestDecoder) group(key string) error {
	d.entry = key
	var group struct {
		Name  looseText     `json:"name"`
		Owner manifestOwner `json:"owner"`
	}
	if err := d.json.Decode(&group); err != nil {
		return err
	}
	d.out.groups[string(group.Name)] = group.Owner
	return nil
}

func (d *manifestDecoder) skip() error {
	var unread json.RawMessage
	return d.json.Decode(&unread)
}

// end makes sure that nothing follows and that it was a manifest.
func (d *manifestDecoder) end() error {
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		if err != nil {
			return err
		}
		return errors.New("more text follows the end of the manifest")
	}
	if !d.sawMeta {
		return errors.New("it has no metadata: it is not a dbt manifest")
	}
	return nil
}

// locate adds where in the file an error lies.
func (d *manifestDecoder) locate(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the file ends too early, it may be truncated: %w", err)
	}
	at := fmt.Sprintf("near byte %d", d.json.InputOffset())
	if d.where != "" {
		at += " in " + d.where
	}
	if d.entry != "" {
		at += fmt.Sprintf(" %q", d.entry)
	}
	return fmt.Errorf("%s: %w", at, err)
}
