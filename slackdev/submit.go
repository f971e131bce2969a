package slackdev

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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

// fill puts the given values into the state.
func fill(state map[string]map[string]any, blocks []map[string]any, values map[string]map[string]any) error {
	for blockID, byAction := range values {
		for actionID, given := range byAction {
			element := findElement(blocks, blockID, actionID)
			entry, _ := state[blockID][actionID].(map[string]any)
			if element == nil || entry == nil {
				return fmt.Errorf("no input %s/%s", blockID, actionID)
			}
			if given == nil || given == "" {
				clearChoice(entry)
				continue
			}
			if err := choose(entry, element, given); err != nil {
				return fmt.Errorf("input %s/%s: %w", blockID, actionID, err)
			}
		}
	}
	return nil
}

// clearChoice empties an input.
func clearChoice(entry map[string]any) {
	for key := range entry {
		switch key {
		case "type":
		case "selected_options":
			entry[key] = []any{}
		default:
			entry[key] = nil
		}
	}
}

func findElement(blocks []map[string]any, blockID, actionID string) map[string]any {
	for _, block := range blocks {
		if block["block_id"] != blockID {
			continue
		}
		for _, element := range elementsOf(block) {
			if element["action_id"] == actionID {
				return element
			}
		}
	}
	return nil
}

// incomplete says what Slack's own client refuses, by block_id.
func incomplete(state map[string]map[string]any, blocks []map[string]any) map[string]string {
	wrong := map[string]string{}
	for _, block := range blocks {
		if block["type"] != "input" {
			continue
		}
		element, _ := block["element"].(map[string]any)
		blockID, _ := block["block_id"].(string)
		actionID, _ := element["action_id"].(string)
		entry, _ := state[blockID][actionID].(map[string]any)
		if complaint := complain(entry, element, block["optional"] == true); complaint != "" {
			wrong[blockID] = complaint
		}
	}
	return wrong
}

func complain(entry, element map[string]any, optional bool) string {
	if empty(entry) {
		if optional {
			return ""
		}
		return "Please complete this required field."
	}
	text, _ := entry["value"].(string)
	n := int64(utf8.RuneCountInString(text))
	if least, ok := number(element["min_length"]); ok && n < least {
		return fmt.Sprintf("Please enter at least %d characters.", least)
	}
	if most, ok := number(element["max_length"]); ok && n > most {
		return fmt.Sprintf("Please enter at most %d characters.", most)
	}
	return ""
}

func empty(entry map[string]any) bool {
	for key, v := range entry {
		items, isList := v.([]any)
		if key != "type" && v != nil && v != "" && (!isList || len(items) > 0) {
			return false
		}
	}
	return true
}

func number(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// viewResponse is what an app may answer to a submission.
type viewResponse struct {
	Action string            `json:"response_action"`
	Errors map[string]string `json:"errors"`
	View   json.RawMessage   `json:"view"`
}

func (s *Server) applySubmission(out Outcome, userID, viewID string) Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.findView(viewID, "")
	var r viewResponse
	if out.Payload != nil && json.Unmarshal(out.Payload, &r) != nil {
		out.Error, out.Detail = BadAck, "the payload is not a response_action"
		return out
	}
	if v == nil {
		return out
	}
	if refused := s.applyResponse(r, v, userID); refused != nil {
		out.Error, out.Detail = BadAck, strings.Join(append([]string{refused.code}, refused.details...), "; ")
	}
	return out
}

func (s *Server) applyResponse(r viewResponse, v *View, userID string) *refusal {
	switch r.Action {
	case "":
		s.closeModal(v)
	case "clear":
		delete(s.state.modals, userID)
		s.touch()
	case "errors":
		return s.showErrors(v, r.Errors)
	case "update", "push":
		body, refused := s.viewBody(r.View, "modal")
		if refused != nil {
			return refused
		}
		if r.Action == "update" {
			s.replaceView(v, body)
			return nil
		}
		if len(s.state.modals[userID]) >= maxModals {
			return refuse("push_limit_reached")
		}
		s.showModal(userID, body)
	default:
		return refuse("invalid_response_action", r.Action)
	}
	return nil
}

// showErrors puts errors at input blocks; one at anything else is refused.
func (s *Server) showErrors(v *View, errs map[string]string) *refusal {
	if len(errs) == 0 {
		return refuse("invalid_arguments", "errors is empty")
	}
	var inputs []string
	for _, block := range v.blocks() {
		if id, _ := block["block_id"].(string); block["type"] == "input" {
			inputs = append(inputs, id)
		}
	}
	for id := range errs {
		if !slices.Contains(inputs, id) {
			return refuse("invalid_arguments", "errors name a block that is no input: "+id)
		}
	}
	v.Errors = errs
	s.touch()
	return nil
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
