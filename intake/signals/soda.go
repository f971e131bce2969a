package signals

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// sodaScan is the result file of `soda scan -srf`, or the body of Soda Cloud's
// webhook of the event checkEvaluation.
type sodaScan struct {
	Event   string      `json:"event"`
	Start   loose       `json:"scanStartTimestamp"`
	Data    loose       `json:"dataTimestamp"`
	Checks  []sodaCheck `json:"checks"`
	Results []sodaCheck `json:"checkResults"`
}

type sodaCheck struct {
	ID         loose       `json:"id"`
	Identity   loose       `json:"identity"`
	Name       string      `json:"name"`
	Definition string      `json:"definition"`
	Outcome    *string     `json:"outcome"`
	Status     string      `json:"evaluationStatus"`
	Source     string      `json:"dataSource"`
	Table      loose       `json:"table"`
	Column     loose       `json:"column"`
	Datasets   []sodaTable `json:"datasets"`
	Dataset    *sodaTable  `json:"dataset"`
	Data       loose       `json:"dataTimestamp"`
	Ran        loose       `json:"lastCheckRunTime"`
	URL        string      `json:"cloudUrl"`
}

type sodaTable struct {
	Name      string `json:"name"`
	Qualified string `json:"qualifiedName"`
}

func decodeSoda(body []byte) ([]Signal, error) {
	var scan sodaScan
	if err := read(body, &scan); err != nil {
		return nil, err
	}
	all := append(scan.Checks, scan.Results...)
	switch {
	case scan.Event != "" && scan.Event != "checkEvaluation":
		return nil, nil // an incident or a contract in Soda Cloud says nothing new of the data
	case scan.Checks == nil && scan.Results == nil:
		return nil, errors.New("neither checks nor checkResults is there")
	}
	var out []Signal
	for i, c := range all {
		s, err := c.signal(scan)
		if err != nil {
			return nil, fmt.Errorf("check %d: %w", i+1, err)
		}
		s.Run = cmp.Or(s.Run, digest(body))
		out = append(out, s)
	}
	return numbered(out), nil
}

func (c sodaCheck) signal(scan sodaScan) (Signal, error) {
	name := cmp.Or(c.Name, c.Definition)
	tables := c.Datasets
	if c.Dataset != nil {
		tables = append(tables, *c.Dataset)
	}
	named := []string{string(c.Table)}
	for _, t := range tables {
		named = append(named, strings.ReplaceAll(t.Qualified, "/", "."), t.Name)
	}
	status, word := c.status()
	at := firstTime(string(c.Ran), string(c.Data), string(scan.Start), string(scan.Data))
	s := Signal{
		Check: strings.TrimPrefix(dotted(c.Source, firstName(named))+"/"+name, "/"), Named: named, Keys: []string{name, string(c.Identity)}, Status: status, Message: name + " " + word, URL: c.URL,
		Run: string(cmp.Or(c.Ran, c.Data, scan.Start, scan.Data)), At: at,
	}
	switch {
	case name == "":
		return s, errors.New("name is missing")
	case status == "":
		return s, fmt.Errorf("outcome %q of %s is not one that is known", word, shown(name, maxName))
	}
	return s, nil
}

func firstName(names []string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// status reads the outcome; Soda writes none for a check that it could not
// evaluate.
func (c sodaCheck) status() (checks.Status, string) {
	outcome := c.Status
	if c.Outcome != nil {
		outcome = *c.Outcome
	}
	switch strings.ToLower(outcome) {
	case "pass", "passed":
		return checks.Pass, "passes"
	case "warn", "warning":
		return checks.Warn, "warns"
	case "fail", "failed":
		return checks.Fail, "fails"
	case "", "error", "not_evaluated", "notevaluated":
		return checks.Error, "could not be evaluated"
	}
	return "", outcome
}
