package signals

import (
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// dagsterRun is what the sensors of docs/signals.md send: Dagster calls a Python
// function and has no payload of its own.
type dagsterRun struct {
	Job    string `json:"job_name"`
	Run    string `json:"run_id"`
	Status string `json:"status"`
	Asset  string `json:"asset"` // what the job writes, where that is known
	Step   string `json:"step_key"`
	URL    string `json:"url"`
	At     loose  `json:"at"`
	Check  string `json:"asset_check"` // of an asset check's evaluation
	Passed *bool  `json:"passed"`
	Level  string `json:"severity"`
}

func decodeDagster(body []byte) ([]Signal, error) {
	var r dagsterRun
	if err := read(body, &r); err != nil {
		return nil, err
	}
	if r.Run == "" {
		return nil, errors.New("run_id is missing")
	}
	s := Signal{URL: r.URL, Run: r.Run, At: parseTime(string(r.At))}
	if r.Check != "" {
		return r.assetCheck(s)
	}
	if r.Job == "" {
		return nil, errors.New("job_name is missing")
	}
	status, ok := runStatus(r.Status)
	if !ok {
		return nil, fmt.Errorf("status %q is not one that is known", shown(r.Status, maxName))
	}
	s.Check, s.Named, s.Keys, s.Status = r.Job, []string{r.Asset, "dagster://" + r.Job}, []string{r.Job}, status
	s.Message = fmt.Sprintf("job %s ended with %s", r.Job, strings.ToUpper(r.Status))
	if r.Step != "" && status == checks.Fail {
		s.Message += " in step " + r.Step
	}
	return []Signal{s}, nil
}

// assetCheck reads the evaluation of an asset check.
func (r dagsterRun) assetCheck(s Signal) ([]Signal, error) {
	if r.Passed == nil || r.Asset == "" {
		return nil, errors.New("passed or asset is missing beside asset_check")
	}
	s.Check, s.Named = r.Asset+"/"+r.Check, []string{r.Asset, "dagster://" + r.Asset}
	switch {
	case *r.Passed:
		s.Status, s.Message = checks.Pass, "asset check "+r.Check+" passes"
	case strings.EqualFold(r.Level, "warn"):
		s.Status, s.Message = checks.Warn, "asset check "+r.Check+" warns"
	default:
		s.Status, s.Message = checks.Fail, "asset check "+r.Check+" fails"
	}
	return []Signal{s}, nil
}
