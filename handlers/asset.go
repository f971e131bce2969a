package handlers

import (
	"context"
	"fmt"
	"strings"

	"dw/blocks"
	"dw/lineage"
	"dw/workflows"
)

// asset resolves what a person typed: "[table] NAME".
func (h *Handler) asset(verb string, words []string) (lineage.Asset, error) {
	if len(words) > 1 && strings.EqualFold(words[0], "table") {
		words = words[1:]
	}
	if len(words) == 0 {
		return lineage.Asset{}, fmt.Errorf("write %s %s NAME", h.Command, verb)
	}
	return h.Graph().Resolve(strings.Join(words, " "))
}

func (h *Handler) explain(ctx context.Context, words []string) (blocks.Message, error) {
	asset, seen, err := h.lookedAt(ctx, "explain", words)
	if err != nil {
		return blocks.Message{}, err
	}
	explanation, err := h.Graph().Explain(asset.ID, h.Now(), seen...)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Explain(explanation), nil
}

func (h *Handler) blast(ctx context.Context, words []string) (blocks.Message, error) {
	asset, err := h.asset("blast", words)
	if err != nil {
		return blocks.Message{}, err
	}
	radius, err := h.Graph().BlastRadius(asset.ID, lineage.BlastOptions{Now: h.Now(), Due: h.Due})
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Blast(radius, h.view(ctx)), nil
}

// lookedAt is an asset that somebody asks about, with what dw has seen of it.
func (h *Handler) lookedAt(ctx context.Context, verb string, words []string) (lineage.Asset, []lineage.Line, error) {
	asset, err := h.asset(verb, words)
	if err != nil {
		return lineage.Asset{}, nil, err
	}
	seen, err := h.About(ctx, asset.ID, h.Now())
	return asset, seen, err
}

func (h *Handler) owner(words []string) (blocks.Message, error) {
	asset, err := h.asset("owner", words)
	if err != nil {
		return blocks.Message{}, err
	}
	answer, err := h.Graph().OwnersOf(asset.ID, h.Now())
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Answer("Owner", answer), nil
}

func (h *Handler) fresh(ctx context.Context, words []string) (blocks.Message, error) {
	asset, seen, err := h.lookedAt(ctx, "fresh", words)
	if err != nil {
		return blocks.Message{}, err
	}
	answer, err := h.Graph().FreshOf(asset.ID, h.Now(), workflows.FreshLines(seen)...)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Answer("Freshness", answer), nil
}

func (h *Handler) sla(words []string) (blocks.Message, error) {
	asset, err := h.asset("sla", words)
	if err != nil {
		return blocks.Message{}, err
	}
	answer, err := h.Graph().SLAOf(asset.ID, lineage.BlastOptions{Now: h.Now(), Due: h.Due})
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Answer("Deadlines", answer), nil
}

func (h *Handler) trace(ctx context.Context, words []string) (blocks.Message, error) {
	asset, err := h.asset("trace", words)
	if err != nil {
		return blocks.Message{}, err
	}
	up, err := h.Graph().Trace(asset.ID, true, 0)
	if err != nil {
		return blocks.Message{}, err
	}
	down, err := h.Graph().Trace(asset.ID, false, 0)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Trace(asset.Name, up, down, h.view(ctx)), nil
}

// mostFound is how many assets a search lists.
const mostFound = 20

func (h *Handler) search(words []string) (blocks.Message, error) {
	if len(words) == 0 {
		return blocks.Message{}, fmt.Errorf("write %s search TEXT", h.Command)
	}
	asked := strings.Join(words, " ")
	return blocks.Found(asked, h.Graph().Search(asked, mostFound)), nil
}
