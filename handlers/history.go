package handlers

import (
	"context"
	"fmt"
	"strings"

	"dw/blocks"
)

// history answers "history INCIDENT" and "history [table] NAME".
func (h *Handler) history(ctx context.Context, words []string) (blocks.Message, error) {
	if len(words) > 1 && strings.EqualFold(words[0], "table") {
		words = words[1:]
	}
	if len(words) == 0 {
		return blocks.Message{}, fmt.Errorf("write %s history INCIDENT or %s history NAME", h.Command, h.Command)
	}
	found, err := h.History(ctx, strings.Join(words, " "))
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.History(found, h.view(ctx)), nil
}
