package signals

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"dw/checks"
)

// alertGroup is the webhook of Prometheus' Alertmanager, version 4, which
// Grafana sends as well.
type alertGroup struct {
	Version loose   `json:"version"`
	Alerts  []alert `json:"alerts"`
}

type alert struct {
	Status       string            `json:"status"`
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL"`
	Fingerprint  string            `json:"fingerprint"`
}

func decodeAlertmanager(body []byte) ([]Signal, error) {
	var g alertGroup
	if err := read(body, &g); err != nil {
		return nil, err
	}
	if g.Alerts == nil {
		return nil, errors.New("alerts is missing")
	}
	var out []Signal
	for i, a := range g.Alerts {
		s, err := a.signal()
		if err != nil {
			return nil, fmt.Errorf("alerts[%d]: %w", i, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (a alert) signal() (Signal, error) {
	name := a.Labels["alertname"]
	s := Signal{
		Check: name, Message: cmp.Or(a.Annotations["summary"], a.Annotations["description"], a.Annotations["message"], name+" is "+a.Status),
		URL: a.GeneratorURL, Since: a.StartsAt.UTC(), At: a.StartsAt.UTC(), Run: a.Fingerprint + "/" + a.StartsAt.UTC().Format(time.RFC3339Nano),
	}
	switch {
	case name == "":
		return s, errors.New("the label alertname is missing")
	case a.StartsAt.IsZero():
		return s, errors.New("startsAt is missing")
	}
	// One alert may fire for many instances: each is a check of its own.
	if a.Fingerprint != "" {
		s.Check += "/" + a.Fingerprint
	}
	for _, label := range labelNames() {
		s.Named = append(s.Named, a.Labels[label], a.Annotations[label])
	}
	s.Keys = []string{name}
	switch a.Status {
	case "firing":
		s.Status = checks.Fail
		if a.Labels["severity"] == "warning" || a.Labels["severity"] == "info" {
			s.Status = checks.Warn
		}
	case "resolved":
		s.Status, s.At = checks.Pass, a.EndsAt.UTC()
	default:
		return s, fmt.Errorf("status %q is neither firing nor resolved", a.Status)
	}
	return s, nil
}
