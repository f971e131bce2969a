package slackdev

import "time"

// eventRate counts the events of an hour.
type eventRate struct {
	hour   int64 // of the wall clock
	count  int
	minute int64 // of which the app was told that it is limited
}

// admit counts an event. Over is true when Slack would drop it; tell is true once
// in each such minute, when the app gets app_rate_limited instead.
func (e *eventRate) admit(now time.Time, most int) (over, tell bool) {
	if hour := now.Unix() / 3600; hour != e.hour {
		*e = eventRate{hour: hour}
	}
	if e.count < most {
		e.count++
		return false, false
	}
	minute := now.Unix() / 60
	tell = minute != e.minute
	e.minute = minute
	return true, tell
}

// rateLimited is the envelope that replaces the events of a minute.
func (s *Server) rateLimited(now time.Time) (envelope, error) {
	payload, err := marshalPlain(map[string]any{
		"token": "", "type": "app_rate_limited", "team_id": s.ws.TeamID, "api_app_id": s.ws.AppID,
		"minute_rate_limited": now.Truncate(time.Minute).Unix(),
	})
	return eventEnvelope(payload, 0, ""), err
}
