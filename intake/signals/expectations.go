package signals

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dw/checks"
)

// validation is a validation result of Great Expectations, of version 0.x or
// 1.x. Unexpected values are rows of the data and are never read.
type validation struct {
	Success   *bool          `json:"success"`
	Suite     string         `json:"suite_name"`
	ID        loose          `json:"id"`
	ResultURL string         `json:"result_url"`
	Meta      validationMeta `json:"meta"`
	Results   []expectation  `json:"results"`
}

type validationMeta struct {
	Suite     string    `json:"expectation_suite_name"`
	Asset     loose     `json:"data_asset_name"`
	Time      loose     `json:"validation_time"`
	RunID     runID     `json:"run_id"`
	BatchSpec batchName `json:"batch_spec"`
	Kwargs    batchName `json:"batch_kwargs"`
	Active    batchName `json:"active_batch_definition"`
}

// batchName is where each era of the tool names the data.
type batchName struct {
	Asset  loose `json:"data_asset_name"`
	Schema loose `json:"schema_name"`
	Table  loose `json:"table_name"`
	Old    loose `json:"table"`
}

// runID is a text in the oldest version and an object in the others.
type runID struct {
	Name loose `json:"run_name"`
	Time loose `json:"run_time"`
}

// UnmarshalJSON is for encoding/json.
func (r *runID) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		var name loose
		err := json.Unmarshal(text, &name)
		*r = runID{Name: name, Time: name}
		return err
	}
	type plain runID
	return json.Unmarshal(text, (*plain)(r))
}

type expectation struct {
	Success *bool             `json:"success"`
	Config  expectationConfig `json:"expectation_config"`
	Result  struct {
		Elements   *float64 `json:"element_count"`
		Unexpected *float64 `json:"unexpected_count"`
		Percent    *float64 `json:"unexpected_percent"`
	} `json:"result"`
	Exception exception `json:"exception_info"`
}

type expectationConfig struct {
	Type     string `json:"type"`
	Old      string `json:"expectation_type"`
	Severity string `json:"severity"`
	Kwargs   struct {
		Column  loose  `json:"column"`
		Columns listed `json:"column_list"`
	} `json:"kwargs"`
}

// exception is one object, or one by metric.
type exception struct{ raised bool }

// UnmarshalJSON is for encoding/json.
func (e *exception) UnmarshalJSON(text []byte) error {
	e.raised = strings.Contains(strings.ReplaceAll(string(text), " ", ""), `"raised_exception":true`)
	return nil
}

// decodeExpectations reads one validation result, or the result of a checkpoint,
// which holds several.
func decodeExpectations(body []byte) ([]Signal, error) {
	var c struct {
		Runs map[string]json.RawMessage `json:"run_results"`
	}
	if err := read(body, &c); err != nil {
		return nil, err
	}
	if c.Runs == nil {
		return decodeValidation(body)
	}
	var out []Signal
	for _, name := range slices.Sorted(maps.Keys(c.Runs)) {
		var wrapped struct {
			Inner json.RawMessage `json:"validation_result"`
		}
		if err := json.Unmarshal(c.Runs[name], &wrapped); err != nil {
			return nil, fmt.Errorf("run_results: %w", err)
		}
		found, err := decodeValidation(cmp.Or(string(wrapped.Inner), string(c.Runs[name])))
		if err != nil {
			return nil, fmt.Errorf("run_results: %w", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func decodeValidation[T string | []byte](body T) ([]Signal, error) {
	var v validation
	if err := read([]byte(body), &v); err != nil {
		return nil, err
	}
	if v.Results == nil {
		return nil, errors.New("neither results nor run_results is there")
	}
	named, m := v.named(), v.Meta
	suite := cmp.Or(v.Suite, m.Suite)
	if len(named) == 0 && suite == "" {
		return nil, errors.New("meta names neither the data nor the suite")
	}
	at := firstTime(string(m.Time), string(m.RunID.Time))
	run := cmp.Or(string(v.ID), strings.Trim(string(m.RunID.Name)+" "+string(m.RunID.Time)+" "+string(m.Time), " "), digest([]byte(body)))
	var out []Signal
	for i, e := range v.Results {
		if e.Success == nil || e.kind() == "" {
			return nil, fmt.Errorf("results[%d]: success or the type of the expectation is missing", i)
		}
		out = append(out, Signal{
			Check: strings.Trim(firstName(named)+"/"+suite, "/") + "/" + e.name(), Named: named, Keys: []string{suite}, Status: e.status(), Message: e.message(), URL: v.ResultURL, Run: run, At: at,
		})
	}
	return numbered(out), nil
}

// numbered tells checks of the same name apart: a suite may hold an expectation
// for a column several times.
func numbered(all []Signal) []Signal {
	seen := map[string]int{}
	for i := range all {
		seen[all[i].Check]++
		if n := seen[all[i].Check]; n > 1 {
			all[i].Check += " #" + strconv.Itoa(n)
		}
	}
	return all
}

// named lists what names the data: tables first, since an asset of the tool has
// whatever name somebody gave it.
func (v validation) named() []string {
	m := v.Meta
	var out []string
	for _, b := range []batchName{m.BatchSpec, m.Kwargs, m.Active} {
		if table := string(cmp.Or(b.Table, b.Old)); table != "" {
			out = append(out, dotted(string(b.Schema), table))
		}
	}
	out = append(out, string(m.Active.Asset), string(m.BatchSpec.Asset), string(m.Kwargs.Asset), string(m.Asset))
	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

func (e expectation) kind() string { return cmp.Or(e.Config.Type, e.Config.Old) }

// name is the expectation with what it is about.
func (e expectation) name() string {
	columns := e.Config.Kwargs.Columns
	if column := string(e.Config.Kwargs.Column); column != "" {
		columns = []string{column}
	}
	if len(columns) == 0 {
		return e.kind()
	}
	return e.kind() + "(" + strings.Join(columns, ", ") + ")"
}

func (e expectation) status() checks.Status {
	switch {
	case e.Exception.raised:
		return checks.Error
	case *e.Success:
		return checks.Pass
	case e.Config.Severity == "warning" || e.Config.Severity == "info":
		return checks.Warn
	}
	return checks.Fail
}

func (e expectation) message() string {
	switch {
	case e.Exception.raised:
		return e.name() + " could not be evaluated"
	case *e.Success:
		return e.name() + " is met"
	case e.Result.Unexpected != nil && e.Result.Elements != nil:
		return fmt.Sprintf("%s is not met by %.0f of %.0f values", e.name(), *e.Result.Unexpected, *e.Result.Elements)
	}
	return e.name() + " is not met"
}
