package signals

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// elementaryResult is a row of Elementary's table elementary_test_results, as
// JSON: what `edr` and a query of that table give. Sample rows are never read.
type elementaryResult struct {
	ID        loose  `json:"id"`
	Execution loose  `json:"test_execution_id"`
	Test      string `json:"test_unique_id"`
	Model     loose  `json:"model_unique_id"`
	Detected  loose  `json:"detected_at"`
	Database  loose  `json:"database_name"`
	Schema    loose  `json:"schema_name"`
	Table     loose  `json:"table_name"`
	Column    loose  `json:"column_name"`
	SubType   loose  `json:"test_sub_type"`
	Name      string `json:"test_name"`
	Status    string `json:"status"`
	Text      loose  `json:"test_results_description"`
}

// decodeElementary reads one row, an array of rows, or one row a line.
func decodeElementary(body []byte) ([]Signal, error) {
	rows, err := elementaryRows(body)
	if err != nil {
		return nil, err
	}
	var out []Signal
	for i, r := range rows {
		s, err := r.signal()
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func elementaryRows(body []byte) ([]elementaryResult, error) {
	var rows []elementaryResult
	if strings.HasPrefix(strings.TrimSpace(string(body)), "[") {
		return rows, read(body, &rows)
	}
	dec := json.NewDecoder(strings.NewReader(string(body)))
	for dec.More() {
		var row elementaryResult
		if err := dec.Decode(&row); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r elementaryResult) signal() (Signal, error) {
	name := cmp.Or(r.Test, r.Name)
	s := Signal{
		Check: name, Named: []string{string(r.Model), dotted(string(r.Database), string(r.Schema), string(r.Table)), string(r.Table)},
		Message: cmp.Or(string(r.Text), r.what()+" says "+r.Status), At: parseTime(string(r.Detected)),
		Run: cmp.Or(string(r.ID), string(r.Execution), string(r.Detected)),
	}
	// One test with a result for each column or dimension is as many checks.
	if sub := string(cmp.Or(r.Column, r.SubType)); sub != "" && r.Test != "" {
		s.Check += "/" + sub
	}
	switch strings.ToLower(r.Status) {
	case "pass", "success":
		s.Status = checks.Pass
	case "warn":
		s.Status = checks.Warn
	case "fail":
		s.Status = checks.Fail
	case "error", "runtime error":
		s.Status = checks.Error
	case "skipped", "no data":
		s.Status = checks.Skipped
	default:
		return s, fmt.Errorf("status %q is not one that is known", shown(r.Status, maxName))
	}
	if name == "" {
		return s, errors.New("test_unique_id is missing")
	}
	return s, nil
}

func (r elementaryResult) what() string {
	name := cmp.Or(r.Name, r.Test)
	if r.Column != "" {
		name += " of " + string(r.Column)
	}
	return name
}
