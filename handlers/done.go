package handlers

import (
	"context"
	"fmt"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// done records that the owner carried a step, or its undo, out.
func (h *Handler) done(ctx context.Context, a bot.Action, undo bool) error {
	value, err := blocks.ParseValue(a.Value)
	if err != nil {
		h.tell(a, oldButton)
		return nil
	}
	who, forbidden, err := h.person(ctx, a.User, a.Team)
	if err != nil {
		return err
	}
	answer, err := h.Decider.MarkDone(ctx, workflows.DoneRequest{
		By: who, NotAllowed: forbidden, Proposal: value.Proposal, HashPrefix: value.HashPrefix,
		Step: value.Step, Undo: undo, EnvelopeID: a.Envelope, At: h.Now(),
		Message: workflows.MessageRef{Channel: a.Channel, TS: a.MessageTS},
	})
	if err != nil {
		return fmt.Errorf("record step %d of %s: %w", value.Step, value.Proposal, err)
	}
	h.tell(a, answer.Text)
	return nil
}

// acknowledge records who looks after the incident.
func (h *Handler) acknowledge(ctx context.Context, a bot.Action) error {
	who, forbidden, err := h.person(ctx, a.User, a.Team)
	if err != nil {
		return err
	}
	if forbidden != "" {
		h.tell(a, "This is not recorded: "+forbidden+".")
		return nil
	}
	answer, err := h.Decider.Acknowledge(ctx, a.Value, who, h.Now())
	if err != nil {
		return fmt.Errorf("acknowledge incident %s: %w", a.Value, err)
	}
	h.tell(a, answer.Text)
	return nil
}
