package handlers

import (
	"context"
	"fmt"
	"html"
	"strings"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// governing is one of the two requests of a workflows.Governor.
type governing func(context.Context, workflows.PolicyRequest) (workflows.Answer, error)

// governVerb returns what "level DOMAIN LEVEL [REASON]" or "policy DOMAIN ask
// [REASON]" asks for; nil for every other command, those that only show included.
func (h *Handler) governVerb(c bot.Command) (governing, workflows.PolicyRequest) {
	words := strings.Fields(html.UnescapeString(c.Text))
	if len(words) < 3 {
		return nil, workflows.PolicyRequest{}
	}
	r := workflows.PolicyRequest{Domain: words[1], Reason: strings.Join(words[3:], " ")}
	switch strings.ToLower(words[0]) {
	case "level":
		level, known := workflows.ParseLevel(words[2])
		if !known {
			return nil, r
		}
		r.Level = level
		return h.Governor.SetLevel, r
	case "policy":
		if strings.EqualFold(words[2], "ask") {
			return h.Governor.AskPolicy, r
		}
	}
	return nil, r
}

// govern carries a request about a policy out before the command is acknowledged.
func (h *Handler) govern(ctx context.Context, c bot.Command, ask governing, r workflows.PolicyRequest) error {
	who, forbidden, err := h.person(ctx, c.User, c.Team)
	if err != nil {
		return err
	}
	r.By, r.NotAllowed, r.At = who, forbidden, h.Now()
	answer, err := ask(ctx, r)
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

// policies answers "policy [DOMAIN]" and "level [DOMAIN]".
func (h *Handler) policies(ctx context.Context, verb string, words []string) (blocks.Message, error) {
	if len(words) > 1 {
		return blocks.Message{}, fmt.Errorf("write %s level DOMAIN L0, L1, L2 or L3, or %s policy DOMAIN ask", h.Command, h.Command)
	}
	all, err := h.Governor.Governance(ctx)
	if err != nil {
		return blocks.Message{}, err
	}
	if len(words) == 0 {
		return blocks.Policies(all, h.Command), nil
	}
	names := []string{}
	for _, d := range all {
		if strings.EqualFold(d.Policy.Domain, words[0]) {
			return blocks.Policies([]workflows.DomainPolicy{d}, h.Command), nil
		}
		names = append(names, d.Policy.Domain)
	}
	return blocks.Message{}, fmt.Errorf("there is no domain %q for %s %s; there are: %s", words[0], h.Command, verb, strings.Join(names, ", "))
}

// record answers "record DOMAIN".
func (h *Handler) record(ctx context.Context, words []string) (blocks.Message, error) {
	if len(words) != 1 {
		return blocks.Message{}, fmt.Errorf("write %s record DOMAIN; %s policy lists the domains", h.Command, h.Command)
	}
	if _, known := h.Policy(words[0]); !known {
		return blocks.Message{}, fmt.Errorf("there is no domain %q; %s policy lists them", words[0], h.Command)
	}
	r, err := h.Recorder.Record(ctx, words[0])
	if err != nil {
		return blocks.Message{}, err
	}
	return blocks.Record(r, h.view(ctx)), nil
}

// heldView adds what the domains' configurations say beyond what is in force.
func (h *Handler) heldView(ctx context.Context) blocks.View {
	v := h.view(ctx)
	all, err := h.Governor.Governance(ctx)
	if err != nil {
		h.Logger.Error("what is in force could not be read for an answer", "error", err)
		v.Held = []string{"what is in force could not be read"}
		return v
	}
	for _, d := range all {
		if held := blocks.HeldText(d.Policy); held != "" {
			v.Held = append(v.Held, held)
		}
		if d.Damaged {
			v.Held = append(v.Held, d.Policy.Domain+" is at L1 at most, for what is in force cannot be read: restore the database")
		}
	}
	return v
}

// heldOf is what a card shows of a policy that is not in force.
func heldOf(p workflows.Policy) []string {
	if held := blocks.HeldText(p); held != "" {
		return []string{held}
	}
	return nil
}
