package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

const oldButton = "This card is older than this version of dw and its buttons no longer work. The newest card of the incident has working ones."

// decided records what a click decides before the click is acknowledged.
func (h *Handler) decided(ctx context.Context, a bot.Action, verdict workflows.Verdict) error {
	value, err := blocks.ParseValue(a.Value)
	if err != nil {
		h.Logger.Warn("a button's value cannot be read", "actor", a.User, "error", err)
		h.tell(a, oldButton)
		return nil
	}
	answer, err := h.decide(ctx, a.User, a.Team, workflows.DecideRequest{
		Verdict: verdict, Proposal: value.Proposal, HashPrefix: value.HashPrefix, Nonce: value.Nonce,
		Message:  workflows.MessageRef{Channel: a.Channel, TS: a.MessageTS},
		ActionTS: a.ActionTS, EnvelopeID: a.Envelope,
	})
	if err != nil {
		return err
	}
	h.tell(a, answer.Text)
	return nil
}

func (h *Handler) decide(ctx context.Context, user, team string, r workflows.DecideRequest) (workflows.Answer, error) {
	who, forbidden, err := h.person(ctx, user, team)
	if err != nil {
		return workflows.Answer{}, err
	}
	r.By, r.NotAllowed, r.At = who, forbidden, h.Now()
	answer, err := h.Decider.Decide(ctx, r)
	if err != nil {
		return answer, fmt.Errorf("record the decision on %s: %w", r.Proposal, err)
	}
	return answer, nil
}

// rejection is what the modal carries from the click to the submission.
type rejection struct {
	Value    string `json:"value"`
	Channel  string `json:"channel"`
	TS       string `json:"ts"`
	ThreadTS string `json:"thread_ts"`
	ActionTS string `json:"action_ts"`
}

// askReason opens the modal that asks why.
func (h *Handler) askReason(ctx context.Context, a bot.Action) {
	value, err := blocks.ParseValue(a.Value)
	if err != nil {
		h.tell(a, oldButton)
		return
	}
	metadata, err := json.Marshal(rejection{a.Value, a.Channel, a.MessageTS, a.ThreadTS, a.ActionTS})
	if err != nil {
		h.tell(a, "The reason cannot be asked for: "+err.Error())
		return
	}
	if _, err := h.Replier.OpenView(ctx, a.TriggerID, blocks.RejectModal(value.Proposal, string(metadata))); err != nil {
		h.Logger.Error("the modal for a rejection did not open", "actor", a.User, "proposal", value.Proposal, "error", err)
		h.tell(a, "Slack did not open the form for the reason, so nothing is decided. Click Reject again.")
	}
}

// submission records a rejection with its reason. A refusal is shown in the
// modal, to this person only.
func (h *Handler) submission(ctx context.Context, s bot.Submission) (any, error) {
	if s.CallbackID != blocks.CallbackReject {
		return nil, nil
	}
	var from rejection
	if err := json.Unmarshal([]byte(s.PrivateMetadata), &from); err != nil {
		return modalError("This form is from another version of dw. Close it and click Reject again."), nil
	}
	value, err := blocks.ParseValue(from.Value)
	if err != nil {
		return modalError(oldButton), nil
	}
	reason := strings.TrimSpace(s.Values[blocks.BlockReason][blocks.ActionReason])
	if reason == "" {
		return modalError("Write a reason: it is shown on the card and kept."), nil
	}
	answer, err := h.decide(ctx, s.User, s.Team, workflows.DecideRequest{
		Verdict: workflows.Reject, Proposal: value.Proposal, HashPrefix: value.HashPrefix, Nonce: value.Nonce,
		Reason:   reason,
		Message:  workflows.MessageRef{Channel: from.Channel, TS: from.TS},
		ActionTS: from.ActionTS, EnvelopeID: s.Envelope,
	})
	if err != nil {
		return nil, err
	}
	if !answer.OK {
		return modalError(answer.Text), nil
	}
	h.tell(bot.Action{Channel: from.Channel, User: s.User, ThreadTS: from.ThreadTS}, answer.Text)
	return nil, nil
}

func modalError(why string) any {
	return map[string]any{"response_action": "errors", "errors": map[string]string{blocks.BlockReason: why}}
}
