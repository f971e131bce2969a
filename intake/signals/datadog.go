package signals

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dw/checks"
)

// datadogAlert is the payload that docs/signals.md says to write into Datadog's
// webhook: Datadog's own default payload does not say whether a monitor alerts
// or has recovered.
type datadogAlert struct {
	ID         loose  `json:"id"`               // $ID
	Monitor    loose  `json:"alert_id"`         // $ALERT_ID
	Cycle      loose  `json:"alert_cycle_key"`  // $ALERT_CYCLE_KEY
	Transition string `json:"alert_transition"` // $ALERT_TRANSITION
	Scope      string `json:"alert_scope"`      // $ALERT_SCOPE
	Title      string `json:"title"`            // $EVENT_TITLE
	AlertTitle string `json:"alert_title"`      // $ALERT_TITLE
	Tags       listed `json:"tags"`             // $TAGS
	Date       loose  `json:"date"`             // $DATE
	Updated    loose  `json:"last_updated"`     // $LAST_UPDATED
	Link       string `json:"link"`             // $LINK
}

func decodeDatadog(body []byte) ([]Signal, error) {
	var a datadogAlert
	if err := read(body, &a); err != nil {
		return nil, err
	}
	switch {
	case a.Monitor == "":
		return nil, errors.New("alert_id is missing: write $ALERT_ID into the webhook's payload")
	case a.Transition == "":
		return nil, errors.New("alert_transition is missing: write $ALERT_TRANSITION into the webhook's payload")
	}
	status, ok := datadogStatus(a.Transition)
	if !ok {
		return nil, fmt.Errorf("alert_transition %q is not one that is known", shown(a.Transition, maxName))
	}
	s := Signal{
		Check: "monitor " + string(a.Monitor), Status: status, Message: cmp.Or(a.AlertTitle, a.Title), URL: a.Link,
		At: firstTime(string(a.Date), string(a.Updated)), Run: cmp.Or(string(a.ID), string(a.Cycle), digest(body)),
	}
	if a.Scope != "" && a.Scope != "*" { // each group of a multi alert alerts alone
		s.Check += " over " + a.Scope
	}
	for _, label := range labelNames() {
		for _, tag := range slices.Concat(a.Tags, strings.Split(a.Scope, ",")) {
			if value, found := strings.CutPrefix(strings.TrimSpace(tag), label+":"); found {
				s.Named = append(s.Named, value)
			}
		}
	}
	s.Keys = []string{"monitor " + string(a.Monitor), string(a.Monitor)}
	return []Signal{s}, nil
}

// datadogStatus reads $ALERT_TRANSITION.
func datadogStatus(transition string) (checks.Status, bool) {
	switch strings.ToLower(strings.TrimSpace(transition)) {
	case "triggered", "re-triggered", "renotify", "alert":
		return checks.Fail, true
	case "warn", "re-warn", "warning", "warn renotify":
		return checks.Warn, true
	case "recovered", "ok":
		return checks.Pass, true
	case "no data", "re-no data", "no data renotify":
		return checks.Error, true // the monitor could not be judged
	}
	return "", false
}
