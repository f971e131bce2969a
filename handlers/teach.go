package handlers

import (
	"context"
	"fmt"

	"dw/blocks"
	"dw/bot"
	"dw/checks"
	"dw/workflows"
)

// teaching is what each button about a finding of the detector says.
func teaching(action string) (word string, level, known bool) {
	switch action {
	case blocks.ActionReal:
		return checks.AnswerReal, false, true
	case blocks.ActionExpected:
		return checks.AnswerExpected, false, true
	case blocks.ActionOneOff:
		return checks.AnswerOneOff, false, true
	case blocks.ActionNewLevel:
		return checks.AnswerNewLevel, true, true
	case blocks.ActionOldLevel:
		return checks.AnswerReal, true, true
	}
	return "", false, false
}

// teach records what a person says of what the detector found.
func (h *Handler) teach(ctx context.Context, a bot.Action, word string, level bool) error {
	incident, key, err := blocks.ParseTeach(a.Value)
	if err != nil {
		h.tell(a, oldButton)
		return nil
	}
	who, forbidden, err := h.person(ctx, a.User, a.Team)
	if err != nil {
		return err
	}
	answer, err := h.Teacher.Teach(ctx, workflows.TeachRequest{
		By: who, NotAllowed: forbidden, Incident: incident, Key: key, Word: word, OfLevel: level, At: h.Now(),
	})
	if err != nil {
		return fmt.Errorf("record what was said of incident %s: %w", incident, err)
	}
	h.tell(a, answer.Text)
	return nil
}
