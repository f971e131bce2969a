package slackdev

import (
	"encoding/json"
	"slices"
	"strings"
)

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
