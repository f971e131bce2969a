package handlers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// command answers one slash command by its response URL, which works where the
// bot is no member.
func (h *Handler) command(ctx context.Context, c bot.Command) {
	message, err := h.answer(ctx, c)
	if err != nil {
		h.Logger.Warn("a command could not be answered", "actor", c.User, "error", err)
		message = blocks.Private(sentence(err))
	}
	if err := h.Replier.Respond(ctx, c.ResponseURL, toBot(message), false); err != nil {
		h.Logger.Error("the answer to a command did not arrive", "actor", c.User, "error", err)
	}
}

func sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	if text == "" {
		return "It failed without a reason."
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (h *Handler) answer(ctx context.Context, c bot.Command) (blocks.Message, error) {
	who, forbidden, err := h.person(ctx, c.User, c.Team)
	if err != nil {
		return blocks.Message{}, err
	} else if forbidden != "" {
		return blocks.Private("dw answers members of this workspace only: " + forbidden + "."), nil
	}
	words := strings.Fields(typed(c.Text))
	if len(words) == 0 {
		return blocks.Help(h.Command, h.Pager, h.Tracker), nil
	}
	rest := words[1:]
	switch strings.ToLower(words[0]) {
	case "help":
		return blocks.Help(h.Command, h.Pager, h.Tracker), nil
	case "status":
		return h.status(ctx)
	case "checks":
		return h.checks(ctx)
	case "check":
		return h.checkRun(ctx, rest)
	case "incidents":
		return h.incidents(ctx)
	case "incident":
		return h.incident(ctx, rest)
	case "history":
		return h.history(ctx, rest)
	case "explain":
		return h.explain(ctx, rest)
	case "blast":
		return h.blast(ctx, rest)
	case "owner":
		return h.owner(rest)
	case "fresh":
		return h.fresh(ctx, rest)
	case "sla":
		return h.sla(rest)
	case "trace":
		return h.trace(ctx, rest)
	case "search":
		return h.search(rest)
	case "approvals":
		return h.approvals(ctx)
	case "receipts":
		return h.receipts(ctx, rest)
	case "verify":
		return h.verify(ctx)
	case "level", "policy":
		return h.policies(ctx, words[0], rest)
	case "record":
		return h.record(ctx, rest)
	case "delegations":
		return h.delegations(ctx, c)
	case "page":
		return h.page(ctx, who, rest)
	case "ticket":
		return h.ticket(ctx, who, rest)
	default:
		return blocks.Message{}, fmt.Errorf("%q is no command of dw; %s help lists them", words[0], h.Command)
	}
}

func (h *Handler) status(ctx context.Context) (blocks.Message, error) {
	open, err := h.Reader.Incidents(ctx, true, 50)
	if err != nil {
		return blocks.Message{}, err
	}
	waiting, err := h.Reader.Waiting(ctx)
	if err != nil {
		return blocks.Message{}, err
	}
	results, err := h.lastResults(ctx)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Status(open, waiting, results, h.heldView(ctx)), nil
}

func (h *Handler) incidents(ctx context.Context) (blocks.Message, error) {
	open, err := h.Reader.Incidents(ctx, true, 50)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Incidents(open, h.view(ctx)), nil
}

func (h *Handler) incident(ctx context.Context, words []string) (blocks.Message, error) {
	if len(words) != 1 {
		return blocks.Message{}, fmt.Errorf("write %s incident ID; %s incidents lists the ids", h.Command, h.Command)
	}
	incident, proposals, err := h.Reader.Incident(ctx, strings.ToUpper(words[0]))
	if errors.Is(err, workflows.ErrNotFound) {
		return blocks.Message{}, fmt.Errorf("there is no incident %q; %s incidents lists the open ones", words[0], h.Command)
	}
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Evidence(incident, proposals, h.incidentView(ctx, incident)), nil
}

func (h *Handler) approvals(ctx context.Context) (blocks.Message, error) {
	waiting, err := h.Reader.Waiting(ctx)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Approvals(waiting, h.view(ctx)), nil
}

func (h *Handler) receipts(ctx context.Context, words []string) (blocks.Message, error) {
	incident := ""
	if len(words) > 0 {
		incident = strings.ToUpper(words[0])
	}
	rows, err := h.Receipts.LastReceipts(ctx, incident, 20)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Receipts(rows), nil
}

func (h *Handler) verify(ctx context.Context) (blocks.Message, error) {
	report, err := h.Receipts.VerifyReceipts(ctx)
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Verified(report), nil
}

func (h *Handler) incidentView(ctx context.Context, i workflows.Incident) blocks.View {
	v := h.view(ctx)
	if policy, ok := h.Policy(i.Domain); ok {
		v.Owner, v.Unresolved = responsible(policy), policy.Unresolved
		v.Held = heldOf(policy)
		v.CanPage, v.CanTicket = policy.CanPage(i), policy.CanTicket(i)
	}
	return v
}
