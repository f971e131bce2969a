package handlers

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"dw/blocks"
	"dw/checks"
)

func (h *Handler) lastResults(ctx context.Context) ([]checks.Result, error) {
	byName, err := h.Checker.LastResults(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]checks.Result, 0, len(byName))
	for _, r := range byName {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Check < out[j].Check })
	return out, nil
}

func (h *Handler) checks(ctx context.Context) (blocks.Message, error) {
	results, err := h.Checker.LastResults(ctx)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Checks(h.Checker.CheckNames(), results, h.view(ctx)), nil
}

// checkRun asks the warehouse now: "check run NAME". A name may have spaces.
func (h *Handler) checkRun(ctx context.Context, words []string) (blocks.Message, error) {
	if len(words) < 2 || !strings.EqualFold(words[0], "run") {
		return blocks.Message{}, fmt.Errorf("write %s check run NAME; %s checks lists the names", h.Command, h.Command)
	}
	result, err := h.Checker.CheckNow(ctx, strings.Join(words[1:], " "), h.Now())
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Result(result, h.view(ctx)), nil
}
