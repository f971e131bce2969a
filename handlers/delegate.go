package handlers

import (
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// Slack writes a person, a channel or a link into a command as <@U1|ann>,
// <#C1|general> or <https://x|x> where its setting "Escape channels, users, and
// links" is on.
var (
	escaped = regexp.MustCompile(`<([@#!]?)([^|>]+)(?:\|([^>]*))?>`)
	mention = regexp.MustCompile(`^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>$`)
	userID  = regexp.MustCompile(`^[UW][A-Z0-9]{4,}$`)
)

// typed is a command's text as the person typed it.
func typed(text string) string {
	return html.UnescapeString(escaped.ReplaceAllStringFunc(text, func(found string) string {
		part := escaped.FindStringSubmatch(found)
		switch {
		case part[3] != "" && (part[1] == "@" || part[1] == "#"):
			return part[1] + part[3]
		case part[1] == "" && part[3] != "":
			return part[3]
		}
		return part[1] + part[2]
	}))
}

// delegating returns what records "delegate …" or "delegations revoke ID" before
// the command is acknowledged, as a decision is; nil for every other command.
func (h *Handler) delegating(c bot.Command) func(context.Context, bot.Command) error {
	words := strings.Fields(c.Text)
	switch {
	case len(words) > 0 && strings.EqualFold(words[0], "delegate"):
		return h.recording(h.delegate)
	case len(words) > 1 && strings.EqualFold(words[0], "delegations") && strings.EqualFold(words[1], "revoke"):
		return h.recording(h.endDelegation)
	}
	return nil
}

// recording answers in private what do records; an error of the person's own
// typing is such an answer, any other leaves the command unacknowledged.
func (h *Handler) recording(do func(context.Context, bot.Command) (string, error)) func(context.Context, bot.Command) error {
	return func(ctx context.Context, c bot.Command) error {
		text, err := do(ctx, c)
		if wrong, ok := errors.AsType[*typingError](err); ok {
			text, err = wrong.Error(), nil
		}
		if err != nil {
			return err
		}
		h.later(func(ctx context.Context) {
			if err := h.Replier.Respond(ctx, c.ResponseURL, toBot(blocks.Private(text)), false); err != nil {
				h.Logger.Error("the answer to a command did not arrive", "actor", c.User, "error", err)
			}
		})
		return nil
	}
}

// typingError is what is wrong with what a person typed.
type typingError struct{ text string }

// Error says what to type instead.
func (e *typingError) Error() string { return e.text }

func wrong(format string, args ...any) error { return &typingError{fmt.Sprintf(format, args...)} }

func (h *Handler) delegate(ctx context.Context, c bot.Command) (string, error) {
	by, forbidden, err := h.person(ctx, c.User, c.Team)
	if err != nil {
		return "", err
	}
	zone := h.zoneOf(ctx, c)
	wish, err := parseDelegation(strings.Fields(html.UnescapeString(c.Text))[1:], h.Now().In(zone), h.Command)
	if err != nil {
		return "", err
	}
	to, toForbidden, err := h.person(ctx, wish.to, "")
	if err != nil {
		return "", err
	}
	if to.Team == "" {
		to.Team = by.Team
	}
	answer, err := h.Delegator.Delegate(ctx, workflows.DelegateRequest{
		By: by, To: to, NotAllowed: forbidden, ToNotAllowed: toForbidden,
		Domain: wish.domain, From: wish.from, Until: wish.until, At: h.Now(),
	})
	return answer.Text, err
}

func (h *Handler) endDelegation(ctx context.Context, c bot.Command) (string, error) {
	by, forbidden, err := h.person(ctx, c.User, c.Team)
	if err != nil {
		return "", err
	}
	words := strings.Fields(c.Text)
	if len(words) != 3 {
		return "", wrong("Write %s delegations revoke ID; %s delegations lists the ids.", h.Command, h.Command)
	}
	answer, err := h.Delegator.EndDelegation(ctx, workflows.EndRequest{By: by, NotAllowed: forbidden, ID: strings.ToUpper(words[2]), At: h.Now()})
	return answer.Text, err
}

// delegations lists who stands in for whom, in the reader's zone.
func (h *Handler) delegations(ctx context.Context, c bot.Command) (blocks.Message, error) {
	all, err := h.Delegator.Delegations(ctx)
	if err != nil {
		return blocks.Message{}, err
	}
	view := h.view(ctx)
	view.Zone = h.zoneOf(ctx, c)
	return blocks.Delegations(all, view), nil
}

// zoneOf is the time zone of who typed a command, dw's own where Slack knows none.
func (h *Handler) zoneOf(ctx context.Context, c bot.Command) *time.Location {
	found, err := h.Identity.Check(ctx, c.User, c.Team)
	if err != nil || found.TZ == "" {
		return h.Zone
	}
	zone, err := time.LoadLocation(found.TZ)
	if err != nil {
		return h.Zone
	}
	return zone
}
