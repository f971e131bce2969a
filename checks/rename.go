package checks

import (
	"slices"
	"strings"
)

// Rename is a column that has another name.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// renamedColumns returns columns with their new names. A name that is not there,
// or a new name that is there already, changes nothing.
func renamedColumns(columns []Column, renames []Rename) []Column {
	out := slices.Clone(columns)
	at := func(name string) int { return slices.IndexFunc(out, func(c Column) bool { return c.Name == name }) }
	for _, r := range renames {
		if i := at(r.From); i >= 0 && at(r.To) < 0 {
			out[i].Name = r.To
		}
	}
	return out
}

// renamesList names renames: "a → b".
func renamesList(renames []Rename) []string {
	said := make([]string, len(renames))
	for i, r := range renames {
		said[i] = short(r.From) + " → " + short(r.To)
	}
	return said
}

// asApproved reports whether the columns are those that were learned, but for
// renames that somebody approved.
func (r *runner) asApproved(learned, columns []Column) bool {
	return len(r.spec.Renamed) > 0 && diffSchemas(renamedColumns(learned, r.spec.Renamed), columns, r.spec.AllowNew).count() == 0
}

// renamesText names a few renames.
func renamesText(renames []Rename) string { return strings.Join(cut(renamesList(renames)), ", ") }
