// Package handlers turns one Slack event into one call of the workflow service
// and one answer, and delivers the messages that the service has queued. A
// click is answered to Slack only after the decision is on disk.
package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"dw/blocks"
	"dw/bot"
	"dw/checks"
	"dw/lineage"
	"dw/receipts"
	"dw/workflows"
)

// Replier answers the person who acted.
type Replier interface {
	PostEphemeral(ctx context.Context, channel, user string, m bot.Message, threadTS string) error
	Respond(ctx context.Context, responseURL string, m bot.Message, replace bool) error
	OpenView(ctx context.Context, triggerID string, v slack.ModalViewRequest) (string, error)
}

// Identity says whether Slack's facts about a person allow them to decide.
type Identity interface {
	Check(ctx context.Context, user, team string) (bot.Person, error)
}

// Checker runs one check now and records what it found.
type Checker interface {
	CheckNames() []string
	CheckNow(ctx context.Context, name string, now time.Time) (checks.Result, error)
	LastResults(ctx context.Context) (map[string]checks.Result, error)
}

// Log reads the receipts.
type Log interface {
	LastReceipts(ctx context.Context, incident string, limit int) ([]blocks.Receipt, error)
	VerifyReceipts(ctx context.Context) (receipts.Report, error)
}

// Options are the parts that a Handler needs; all are required.
type Options struct {
	Decider   workflows.Decider
	Requests  workflows.Requester // of pages and tickets
	Stopper   workflows.Stopper
	Delegator workflows.Delegator
	Governor  workflows.Governor
	Recorder  workflows.Recorder
	Teacher   workflows.Teacher
	Pager     bool // whether a pager is configured
	Tracker   bool // whether a tracker is configured
	Reader    workflows.Reader
	Replier   Replier
	Identity  Identity
	Checker   Checker
	Receipts  Log
	Graph     func() *lineage.Graph
	About     func(ctx context.Context, id lineage.AssetID, now time.Time) ([]lineage.Line, error) // what dw has seen of an asset
	History   func(ctx context.Context, name string) (workflows.History, error)                    // of an asset or an incident
	Due       lineage.DueFunc
	Policy    func(domain string) (workflows.Policy, bool)
	Command   string // "/dw"
	Zone      *time.Location
	Now       func() time.Time
	Logger    *slog.Logger
}

// Handler meets bot.Handler. Answers are sent after the acknowledgement by at
// most parallelAnswers goroutines, which Close waits for.
type Handler struct {
	Options

	answers sync.WaitGroup
	slots   chan struct{}
}

const (
	parallelAnswers = 8
	answerTimeout   = 60 * time.Second
)

// New returns a Handler.
func New(o Options) *Handler {
	return &Handler{Options: o, slots: make(chan struct{}, parallelAnswers)}
}

// Close waits for answers that are still being sent.
func (h *Handler) Close() { h.answers.Wait() }

// Handle meets bot.Handler. An error means that nothing was decided: the
// envelope is not acknowledged and the person sees Slack's own error.
func (h *Handler) Handle(ctx context.Context, e bot.Event) (any, error) {
	switch event := e.(type) {
	case bot.Command:
		if do := h.delegating(event); do != nil {
			return nil, do(ctx, event)
		}
		if ask, reason := h.stopVerb(event); ask != nil {
			return nil, h.stop(ctx, event, ask, reason)
		}
		if ask, request := h.governVerb(event); ask != nil {
			return nil, h.govern(ctx, event, ask, request)
		}
		h.later(func(ctx context.Context) { h.command(ctx, event) })
		return nil, nil
	case bot.Action:
		return nil, h.action(ctx, event)
	case bot.Submission:
		return h.submission(ctx, event)
	default:
		return nil, nil
	}
}

// action carries out a click. Buttons of a kind that dw does not know, such as
// those of an older version, are answered, never ignored.
func (h *Handler) action(ctx context.Context, a bot.Action) error {
	if word, level, known := teaching(a.ActionID); known {
		return h.teach(ctx, a, word, level)
	}
	switch blocks.ActionOf(a.ActionID) {
	case blocks.ActionApprove:
		return h.decided(ctx, a, workflows.Approve)
	case blocks.ActionRevoke:
		return h.decided(ctx, a, workflows.Revoke)
	case blocks.ActionWithdraw:
		return h.decided(ctx, a, workflows.Withdraw)
	case blocks.ActionRollBack:
		return h.decided(ctx, a, workflows.RollBack)
	case blocks.ActionRenew:
		return h.decided(ctx, a, workflows.Renew)
	case blocks.ActionGiveUp:
		return h.decided(ctx, a, workflows.GiveUp)
	case blocks.ActionReject:
		h.later(func(ctx context.Context) { h.askReason(ctx, a) })
		return nil
	case blocks.ActionDone:
		return h.done(ctx, a, false)
	case blocks.ActionUndone:
		return h.done(ctx, a, true)
	case blocks.ActionAcknowledge:
		return h.acknowledge(ctx, a)
	case blocks.ActionPage:
		return h.request(ctx, a, h.Requests.RequestPage)
	case blocks.ActionTicket:
		return h.request(ctx, a, h.Requests.RequestTicket)
	default:
		h.tell(a, "This button is not known to this version of dw. Use the newest card of the incident.")
		return nil
	}
}

// later runs answer after the acknowledgement, in its own bounded goroutine.
func (h *Handler) later(answer func(context.Context)) {
	h.answers.Go(func() {
		h.slots <- struct{}{}
		defer func() { <-h.slots }()
		ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
		defer cancel()
		answer(ctx)
	})
}

// tell answers the person who clicked, and nobody else.
func (h *Handler) tell(a bot.Action, answer string) {
	if answer == "" {
		return
	}
	h.later(func(ctx context.Context) {
		message := toBot(blocks.Private(answer))
		err := h.Replier.PostEphemeral(ctx, a.Channel, a.User, message, a.ThreadTS)
		if err != nil && a.ResponseURL != "" {
			err = h.Replier.Respond(ctx, a.ResponseURL, message, false)
		}
		if err != nil {
			h.Logger.Error("a private answer did not arrive", "actor", a.User, "error", err)
		}
	})
}

// person checks who acted. Facts that forbid the person are a text for the
// receipt; a lookup that failed is an error, so that nobody decides unchecked.
func (h *Handler) person(ctx context.Context, user, team string) (workflows.Person, string, error) {
	found, err := h.Identity.Check(ctx, user, team)
	who := workflows.Person{Team: team, User: user}
	if refused, ok := errors.AsType[*bot.NotAllowedError](err); ok {
		return who, string(refused.Reason), nil
	}
	if err != nil {
		return who, "", fmt.Errorf("look up who clicked: %w", err)
	}
	return workflows.Person{Team: found.Team, User: found.ID, Name: displayName(found)}, "", nil
}

func displayName(p bot.Person) string {
	if p.RealName != "" {
		return p.RealName
	}
	return p.Name
}

func toBot(m blocks.Message) bot.Message { return bot.Message{Text: m.Text, Blocks: m.Blocks} }

// view is what answers are painted with; a stop that cannot be read counts as on.
func (h *Handler) view(ctx context.Context) blocks.View {
	stop, err := h.Stopper.Stopped(ctx)
	if err != nil {
		h.Logger.Error("an answer is painted as stopped", "error", err)
	}
	return blocks.View{Now: h.Now(), Zone: h.Zone, Stop: stop}
}
