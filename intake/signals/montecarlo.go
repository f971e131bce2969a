package signals

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// monteCarloAlert is Monte Carlo's webhook. It carries no time and no id of the
// delivery: a repeat of the same bytes is a repeat.
type monteCarloAlert struct {
	Version string            `json:"version"`
	Type    string            `json:"type"`
	Action  string            `json:"action"`
	Payload monteCarloPayload `json:"payload"`
}

type monteCarloPayload struct {
	Incident loose             `json:"incident_id"`
	Alert    loose             `json:"alert_id"`
	Group    loose             `json:"group_id"`
	URL      string            `json:"url"`
	Feedback loose             `json:"alert_feedback"`
	Old      loose             `json:"incident_feedback"`
	Events   []monteCarloEvent `json:"event_list"`
}

type monteCarloEvent struct {
	Table loose `json:"table_name"`
	Full  loose `json:"full_table_id"`
	Rule  struct {
		Text loose `json:"description"`
		UUID loose `json:"uuid"`
	} `json:"rule"`
}

func decodeMonteCarlo(body []byte) ([]Signal, error) {
	var a monteCarloAlert
	if err := read(body, &a); err != nil {
		return nil, err
	}
	id := cmp.Or(string(a.Payload.Alert), string(a.Payload.Incident))
	switch {
	case a.Type == "":
		return nil, errors.New("type is missing")
	case id == "":
		return nil, errors.New("payload.alert_id and payload.incident_id are missing")
	}
	feedback := string(cmp.Or(a.Payload.Feedback, a.Payload.Old))
	status, ok := monteCarloStatus(feedback)
	if !ok {
		return nil, fmt.Errorf("alert_feedback %q is not one that is known", shown(feedback, maxName))
	}
	what := strings.ReplaceAll(a.Type, "_", " ")
	if len(a.Payload.Events) > 0 && a.Payload.Events[0].Rule.Text != "" {
		what += ": " + string(a.Payload.Events[0].Rule.Text)
	}
	if status == checks.Pass {
		what += ", marked as " + strings.ReplaceAll(feedback, "_", " ")
	}
	s := Signal{Check: "alert " + id, Status: status, Message: what, URL: a.Payload.URL, Run: digest(body)}
	for _, e := range a.Payload.Events {
		s.Named = append(s.Named, monteCarloTable(string(e.Full)), string(e.Table))
	}
	for _, e := range a.Payload.Events {
		s.Keys = append(s.Keys, string(e.Rule.UUID), string(e.Rule.Text))
	}
	s.Keys = append(s.Keys, string(a.Payload.Group))
	return []Signal{s}, nil
}

// monteCarloTable turns project:dataset.table into a dotted name.
func monteCarloTable(full string) string { return strings.ReplaceAll(full, ":", ".") }

// monteCarloStatus reads the status that people give an alert; a new one has
// none.
func monteCarloStatus(feedback string) (checks.Status, bool) {
	switch strings.ToLower(strings.ReplaceAll(feedback, " ", "_")) {
	case "", "no_status", "investigating", "work_in_progress", "acknowledged":
		return checks.Fail, true
	case "fixed", "expected", "no_action_needed", "false_positive":
		return checks.Pass, true
	}
	return "", false
}
