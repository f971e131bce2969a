package signals

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// airflowRun is what the callbacks of docs/signals.md send: Airflow calls a
// Python function and has no payload of its own.
type airflowRun struct {
	DAG     string `json:"dag_id"`
	Task    string `json:"task_id"`
	Run     loose  `json:"run_id"`
	State   string `json:"state"`
	Try     loose  `json:"try_number"`
	Map     loose  `json:"map_index"`
	Asset   string `json:"asset"` // what the task writes, where that is known
	LogURL  string `json:"log_url"`
	Started loose  `json:"start_date"`
	Ended   loose  `json:"end_date"`
}

func decodeAirflow(body []byte) ([]Signal, error) {
	var r airflowRun
	if err := read(body, &r); err != nil {
		return nil, err
	}
	switch {
	case r.DAG == "":
		return nil, errors.New("dag_id is missing")
	case r.Run == "":
		return nil, errors.New("run_id is missing")
	}
	s := Signal{
		Check: r.DAG, Named: []string{r.Asset, "airflow://" + r.DAG}, Keys: []string{r.DAG}, URL: r.LogURL, At: parseTime(string(r.Ended)),
		Run: strings.Join([]string{string(r.Run), string(r.Try), string(r.Map)}, "/"),
	}
	if r.Task != "" {
		s.Check += "." + r.Task
		s.Named = []string{r.Asset, "airflow://" + r.DAG + "/" + r.Task, "airflow://" + r.DAG}
	}
	status, ok := runStatus(r.State)
	if !ok {
		return nil, fmt.Errorf("state %q is not one that is known", shown(r.State, maxName))
	}
	s.Status, s.Message = status, fmt.Sprintf("%s %s in run %s", s.Check, cmp.Or(strings.ToLower(r.State), "ended"), r.Run)
	return []Signal{s}, nil
}

// runStatus reads the state of a run of Airflow or Dagster. A retry may yet
// succeed, so that it is no failure.
func runStatus(state string) (checks.Status, bool) {
	switch strings.ToLower(state) {
	case "failed", "failure", "upstream_failed", "timed_out":
		return checks.Fail, true
	case "success":
		return checks.Pass, true
	case "up_for_retry", "canceled", "cancelled", "skipped":
		return checks.Skipped, true
	}
	return "", false
}
