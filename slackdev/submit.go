package slackdev

import (
	"context"
	"fmt"
	"slices"
)

// RequiredField is the outcome of submitting a modal whose inputs the client
// itself refuses; the view's Errors say which.
const RequiredField = "incomplete_input"

// Submit submits the user's topmost modal. Values are by block_id and
// action_id: a string for text, dates and single choices (the option's value),
// a list of strings for checkboxes. Inputs that are left out keep their initial
// value. What the app answers is applied: errors, update, push, clear, or close.
func (s *Server) Submit(
	ctx context.Context, userID, viewID string, values map[string]map[string]any,
) (Outcome, error) {
	e, out, err := s.submission(userID, viewID, values)
	if err != nil || out.Error != "" {
		return out, err
	}
	out, err = s.dispatch(ctx, e)
	if err != nil || !out.Acked {
		if err == nil {
			s.showSubmitFailure(viewID)
		}
		return out, err
	}
	return s.applySubmission(out, userID, viewID), nil
}

// top finds the user's topmost modal, which must be the one named.
func (s *Server) top(userID, viewID string) (User, *View, error) {
	u, err := s.person(userID)
	if err != nil {
		return u, nil, err
	}
	stack := s.state.modals[userID]
	if len(stack) == 0 || stack[len(stack)-1].ID != viewID {
		return u, nil, fmt.Errorf("slackdev: view %q is not the topmost modal of user %s", viewID, userID)
	}
	return u, stack[len(stack)-1], nil
}

func (s *Server) submission(
	userID, viewID string, values map[string]map[string]any,
) (envelope, Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, v, err := s.top(userID, viewID)
	if err != nil {
		return envelope{}, Outcome{}, err
	}
	if v.fields()["submit"] == nil {
		return envelope{}, Outcome{}, fmt.Errorf("slackdev: view %s has no submit button", viewID)
	}
	blocks := v.blocks()
	state := stateValues(blocks, nil)
	if err := fill(state, blocks, values); err != nil {
		return envelope{}, Outcome{}, fmt.Errorf("slackdev: submit view %s: %w", viewID, err)
	}
	v.Notice = ""
	if v.Errors = incomplete(state, blocks); len(v.Errors) > 0 {
		s.touch()
		return envelope{}, Outcome{Error: RequiredField, Detail: "the client refuses; see the view's errors"}, nil
	}
	view := s.wireView(v)
	view["state"] = map[string]any{"values": state}
	payload := s.interaction("view_submission", u)
	payload["view"], payload["response_urls"] = view, []any{}
	e, err := interactive(payload, true)
	return e, Outcome{}, err
}

func (s *Server) closeModal(v *View) {
	kept := slices.DeleteFunc(slices.Clone(s.state.modals[v.User]), func(w *View) bool { return w == v })
	s.state.modals[v.User] = kept
	s.touch()
}

// CloseView closes the user's topmost modal. The app hears of it only if the
// view asked with notify_on_close; otherwise the outcome is acknowledged at once.
func (s *Server) CloseView(ctx context.Context, userID, viewID string) (Outcome, error) {
	e, told, err := s.closing(userID, viewID)
	if err != nil || !told {
		return Outcome{Acked: err == nil}, err
	}
	return s.dispatch(ctx, e)
}

func (s *Server) closing(userID, viewID string) (envelope, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, v, err := s.top(userID, viewID)
	if err != nil {
		return envelope{}, false, err
	}
	s.closeModal(v)
	if v.fields()["notify_on_close"] != true {
		return envelope{}, false, nil
	}
	payload := s.interaction("view_closed", u)
	delete(payload, "trigger_id")
	payload["view"], payload["is_cleared"] = s.wireView(v), false
	e, err := interactive(payload, false)
	return e, true, err
}
