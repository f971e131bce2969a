package handlers

import (
	"context"
	"strings"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// stopping is one of the two requests of a workflows.Stopper.
type stopping func(context.Context, workflows.StopRequest) (workflows.Answer, error)

// stopVerb returns what "stop [REASON]" or "resume [REASON]" asks for, and the
// reason; nil for every other command.
func (h *Handler) stopVerb(c bot.Command) (stopping, string) {
	text := typed(c.Text)
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, ""
	}
	_, reason, _ := strings.Cut(text, words[0])
	switch strings.ToLower(words[0]) {
	case "stop":
		return h.Stopper.PullStop, strings.TrimSpace(reason)
	case "resume":
		return h.Stopper.AskResume, strings.TrimSpace(reason)
	}
	return nil, ""
}

// stop carries a stop out before the command is acknowledged, as it does with a
// decision: who sees no error from Slack can rely on it. People whom Slack's
// facts forbid to act are refused, which is recorded.
func (h *Handler) stop(ctx context.Context, c bot.Command, ask stopping, reason string) error {
	who, forbidden, err := h.person(ctx, c.User, c.Team)
	if err != nil {
		return err
	}
	answer, err := ask(ctx, workflows.StopRequest{
		By: who, NotAllowed: forbidden, Reason: reason, Channel: c.Channel, At: h.Now(),
	})
	if err != nil {
		return err
	}
	h.later(func(ctx context.Context) {
		if err := h.Replier.Respond(ctx, c.ResponseURL, toBot(blocks.Private(answer.Text)), false); err != nil {
			h.Logger.Error("the answer to a command did not arrive", "actor", c.User, "error", err)
		}
	})
	return nil
}
