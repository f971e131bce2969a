package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dw/bot"
)

// listen hears Slack until ctx ends. Where Slack ends Socket Mode for good after
// it had worked, dw stays: checks, messages and receipts go on, requests expire
// and escalate, /healthz is red, and the owners are told what to do. Where it
// never worked, dw ends with the reason.
func (a *App) listen(ctx context.Context) error {
	err := a.socket.Run(ctx)
	fatal, ended := errors.AsType[*bot.FatalError](err)
	if !ended || !a.socket.Status().Greeted {
		return err
	}
	a.log.ErrorContext(ctx, "dw hears nothing from Slack any more: buttons and commands do nothing", "error", fatal)
	a.tellOwners(ctx, "dw hears nothing from Slack any more, so buttons and commands do nothing; checks and messages go on. "+fatal.Error())
	<-ctx.Done()
	return nil
}

// tellOwners sends a direct message to the owner of every domain, once to each.
func (a *App) tellOwners(ctx context.Context, text string) {
	told := map[string]bool{}
	for _, policy := range a.policies {
		if who := policy.Owner.User; !told[who] {
			told[who] = true
			a.deliverer.TellOwner(ctx, policy, text)
		}
	}
}

// slackHealth is what /healthz says of the connections to Slack. Ages are whole
// seconds, -1 before the first.
type slackHealth struct {
	Open     int    `json:"connections"`
	Wanted   int    `json:"connections_wanted"`
	EventAge int64  `json:"last_event_age_seconds"`
	HeardAge int64  `json:"last_heard_age_seconds"`
	Renewed  int64  `json:"reconnects"`
	Refused  int64  `json:"refusals"`
	Problem  string `json:"last_refusal,omitempty"`
}

func slackHealthOf(s bot.Status, now time.Time) slackHealth {
	return slackHealth{
		Open: s.Open, Wanted: s.Wanted, EventAge: int64(age(s.Event, now)), HeardAge: int64(age(s.Heard, now)),
		Renewed: s.Refreshes + s.Breaks + s.Crowded, Refused: s.Refusals, Problem: s.Problem,
	}
}

// age is in seconds, -1 for what never was.
func age(at, now time.Time) float64 {
	if at.IsZero() {
		return -1
	}
	return max(0, now.Sub(at).Seconds())
}

// slackProblem says what is wrong with the connections to Slack; one of several
// that is down is no problem while another hears.
func slackProblem(s bot.Status) string {
	switch {
	case s.Stopped != nil:
		return s.Stopped.Error()
	case s.Open > 0:
		return ""
	case s.Problem != "":
		return "no connection to Slack: " + s.Problem
	default:
		return "no connection to Slack"
	}
}

// slackMetrics meets prometheus.Collector: one scrape reads one status.
type slackMetrics struct{ socket *bot.Socket }

// Describe sends nothing: what is collected is checked at the scrape.
func (slackMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect reads the status of the connections.
func (m slackMetrics) Collect(out chan<- prometheus.Metric) {
	s := m.socket.Status()
	now := time.Now()
	send := func(kind prometheus.ValueType, name, help string, value float64, label ...string) {
		var names []string
		if len(label) > 0 {
			names = []string{"reason"}
		}
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, label...)
	}
	const reconnects = "dw_slack_reconnects_total"
	const why = "Socket Mode connections that were replaced, by reason."
	send(prometheus.GaugeValue, "dw_slack_connections", "Socket Mode connections that are open and greeted.", float64(s.Open))
	send(prometheus.GaugeValue, "dw_slack_connections_wanted", "Socket Mode connections that are held in normal running.", float64(s.Wanted))
	send(prometheus.GaugeValue, "dw_slack_last_event_age_seconds", "Age of the last event from Slack, -1 before the first.", age(s.Event, now))
	send(prometheus.GaugeValue, "dw_slack_last_heard_age_seconds", "Age of the last sign of life from Slack, -1 before the first.", age(s.Heard, now))
	send(prometheus.CounterValue, reconnects, why, float64(s.Refreshes), "refresh")
	send(prometheus.CounterValue, reconnects, why, float64(s.Breaks), "broken")
	send(prometheus.CounterValue, reconnects, why, float64(s.Crowded), "too_many")
	send(prometheus.CounterValue, "dw_slack_refusals_total", "Attempts to connect to Slack that failed.", float64(s.Refusals))
	send(prometheus.CounterValue, "dw_slack_events_total", "Events from Slack that were handled.", float64(s.Events))
	send(prometheus.CounterValue, "dw_slack_repeats_total", "Events that Slack delivered again and that were answered from memory.", float64(s.Repeats))
	send(prometheus.CounterValue, "dw_slack_unanswered_total", "Events that were not acknowledged because handling them failed.", float64(s.Unanswered))
	send(prometheus.CounterValue, "dw_slack_lost_acks_total", "Acknowledgements that could not be written to their connection.", float64(s.LostAcks))
}
