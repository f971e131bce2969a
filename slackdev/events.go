package slackdev

import (
	"context"
	"fmt"
	"time"
)

// Event sends an Events API event, the inner object with its "type", and
// redelivers it after each of Options.EventRetries while it is not
// acknowledged. It returns the outcome of the last delivery. Over
// Options.EventsPerHour the event is dropped, with EventDropped as the outcome's
// error, and the app gets app_rate_limited once a minute.
func (s *Server) Event(ctx context.Context, event map[string]any) (Outcome, error) {
	if over, err := s.overRate(ctx); over || err != nil {
		return Outcome{Error: EventDropped, Detail: "more events in this hour than Slack delivers"}, err
	}
	payload, err := s.eventPayload(event)
	if err != nil {
		return Outcome{}, fmt.Errorf("slackdev: event: %w", err)
	}
	out, err := s.dispatch(ctx, eventEnvelope(payload, 0, ""))
	for i, wait := range s.opts.EventRetries {
		if err != nil || out.Acked {
			break
		}
		if err = s.pause(ctx, wait); err != nil {
			break
		}
		out, err = s.dispatch(ctx, eventEnvelope(payload, i+1, "timeout"))
	}
	return out, err
}

// overRate counts an event and tells the app when it is one too many.
func (s *Server) overRate(ctx context.Context) (bool, error) {
	s.mu.Lock()
	now := s.opts.Wall()
	over, tell := s.eventRate.admit(now, s.opts.EventsPerHour)
	s.mu.Unlock()
	if !tell {
		return over, nil
	}
	e, err := s.rateLimited(now)
	if err != nil {
		return over, fmt.Errorf("slackdev: event: %w", err)
	}
	_, err = s.dispatch(ctx, e)
	return over, err
}

func eventEnvelope(payload []byte, attempt int, reason string) envelope {
	return envelope{Type: "events_api", Payload: payload, Attempt: &attempt, Reason: &reason}
}

func (s *Server) eventPayload(event map[string]any) ([]byte, error) {
	s.mu.Lock()
	id := s.id("Ev")
	s.mu.Unlock()
	return marshalPlain(map[string]any{
		"type": "event_callback", "team_id": s.ws.TeamID, "api_app_id": s.ws.AppID, "event": event, "event_id": id,
		"event_time": s.opts.Now().Unix(), "is_ext_shared_channel": false,
		"authorizations": []map[string]any{{
			"enterprise_id": nil, "team_id": s.ws.TeamID, "user_id": s.ws.BotUserID, "is_bot": true,
			"is_enterprise_install": false,
		}},
	})
}

func (s *Server) pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("slackdev: wait for the redelivery: %w", ctx.Err())
	case <-s.ctx.Done():
		return fmt.Errorf("slackdev: closed before the redelivery")
	}
}

// OpenHome opens the app's Home for a user, which sends app_home_opened.
func (s *Server) OpenHome(ctx context.Context, userID string) (Outcome, error) {
	s.mu.Lock()
	u, err := s.person(userID)
	if err != nil {
		s.mu.Unlock()
		return Outcome{}, err
	}
	event := map[string]any{
		"type": "app_home_opened", "user": u.ID, "channel": s.directWith(u.ID).ID, "tab": "home",
		"event_ts": s.stamp(),
	}
	if v := s.state.homes[u.ID]; v != nil {
		event["view"] = s.wireView(v)
	}
	s.mu.Unlock()
	return s.Event(ctx, event)
}
