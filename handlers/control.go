package handlers

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// projectPattern is the form of a project's key.
var projectPattern = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,254}$`)

// requesting is one of the two requests of a workflows.Requester.
type requesting func(context.Context, workflows.ErrandRequest) (workflows.Answer, error)

// request takes a click on a button of the incident's card.
func (h *Handler) request(ctx context.Context, a bot.Action, ask requesting) error {
	who, forbidden, err := h.person(ctx, a.User, a.Team)
	if err != nil {
		return err
	}
	if forbidden != "" {
		h.tell(a, "Nothing was done: "+forbidden+".")
		return nil
	}
	answer, err := ask(ctx, workflows.ErrandRequest{By: who, Incident: a.Value, At: h.Now()})
	if err != nil {
		return err
	}
	h.tell(a, answer.Text)
	return nil
}

// page answers "page INCIDENT".
func (h *Handler) page(ctx context.Context, who workflows.Person, words []string) (blocks.Message, error) {
	if len(words) != 1 {
		return blocks.Message{}, fmt.Errorf("write %s page INCIDENT; %s incidents lists the ids", h.Command, h.Command)
	}
	answer, err := h.Requests.RequestPage(ctx, workflows.ErrandRequest{By: who, Incident: strings.ToUpper(words[0]), At: h.Now()})
	return blocks.Private(answer.Text), err
}

// ticket answers "ticket INCIDENT [PROJECT]".
func (h *Handler) ticket(ctx context.Context, who workflows.Person, words []string) (blocks.Message, error) {
	if len(words) < 1 || len(words) > 2 {
		return blocks.Message{}, fmt.Errorf("write %s ticket INCIDENT [PROJECT]; %s incidents lists the ids", h.Command, h.Command)
	}
	r := workflows.ErrandRequest{By: who, Incident: strings.ToUpper(words[0]), At: h.Now()}
	if len(words) == 2 {
		r.Project = strings.ToUpper(words[1])
		if !projectPattern.MatchString(r.Project) {
			return blocks.Message{}, fmt.Errorf("%q is no project key; one looks like OPS", words[1])
		}
	}
	answer, err := h.Requests.RequestTicket(ctx, r)
	return blocks.Private(answer.Text), err
}
