package soak

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"dw/app"
	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
	"dw/store"
	"dw/workflows"
)

// view reads dw's database.
func (e *estate) view(read func(context.Context, workflows.ReadTx) error) {
	e.t.Helper()
	ctx := context.Background()
	db, err := store.OpenReadOnly(ctx, e.dsn)
	if err != nil {
		e.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	if err := db.View(ctx, func(tx workflows.ReadTx) error { return read(ctx, tx) }); err != nil {
		e.t.Fatal(err)
	}
}

// everyState is that of each proposal which was approved or may still be.
func everyState() []workflows.ProposalState {
	return []workflows.ProposalState{workflows.Waiting, workflows.Approved, workflows.Executing}
}

// placed waits until every card is posted and recorded, and returns what people
// mean to do: each approves each proposal, one domain after the other.
func (e *estate) placed() []intent {
	e.t.Helper()
	var all []workflows.Proposal
	for until := time.Now().Add(cardsWithin); ; {
		placed := 0
		e.view(func(ctx context.Context, tx workflows.ReadTx) (err error) {
			all, err = tx.ProposalsIn(ctx, everyState()...)
			return err
		})
		for _, p := range all {
			if p.Message.TS != "" {
				placed++
			}
		}
		if placed == e.domains*perDomain {
			break
		}
		if time.Now().After(until) {
			e.t.Fatalf("%d of %d cards are placed, of %d proposals\n%s", placed, e.domains*perDomain, len(all), e.lastLog())
		}
	}
	var intents []intent
	for n := range e.people {
		for _, p := range all {
			intents = append(intents, intent{p.ID, approver(n), p.Message.Channel, p.Message.TS})
		}
	}
	return intents
}

// painted waits until the cards show what was decided and each decision has its
// line in the thread.
func (e *estate) painted(intents []intent) {
	e.t.Helper()
	e.wait("cards and threads to show every decision", patience, func(s slackdev.Snapshot) bool {
		cards, lines := shown(s)
		return cards == e.domains*perDomain && lines >= len(intents)
	})
	if _, lines := shown(e.slack.Snapshot()); lines != len(intents) {
		e.t.Errorf("%d lines of %d decisions in the threads", lines, len(intents))
	}
}

// shown counts the cards that no longer ask, and the lines of approvals.
func shown(s slackdev.Snapshot) (cards, lines int) {
	for _, c := range s.Channels {
		for _, m := range c.Messages {
			text := m.Text + string(m.Blocks)
			switch {
			case strings.Contains(text, "fingerprint") && !strings.Contains(text, `"`+blocks.ActionApprove+`"`):
				cards++
			case m.ThreadTS != m.TS && strings.Contains(m.Text, ` approved "`):
				lines++
			}
		}
	}
	return cards, lines
}

// record is what dw kept.
type record struct {
	Decisions int // in the proposals
	Receipts  int // of decisions
	Refusals  int // receipts of refused decisions: clicks by those who had decided
	Log       int64
}

type vote struct{ proposal, user string }

// votes counts decisions by who decided what: in the proposals, and in receipts.
func (e *estate) votes() (rows, logged map[vote]int, kept record) {
	e.t.Helper()
	rows, logged = map[vote]int{}, map[vote]int{}
	e.view(func(ctx context.Context, tx workflows.ReadTx) error {
		all, err := tx.ProposalsIn(ctx, everyState()...)
		if err != nil {
			return err
		}
		for _, p := range all {
			for _, d := range p.Decisions {
				rows[vote{p.ID, d.By.User}]++
				kept.Decisions++
			}
		}
		for {
			entries, err := tx.Receipts(ctx, kept.Log, 500)
			if err != nil || len(entries) == 0 {
				return err
			}
			for _, entry := range entries {
				if err := kept.add(entry.Bytes, logged); err != nil {
					return err
				}
			}
		}
	})
	return rows, logged, kept
}

func (k *record) add(content []byte, logged map[vote]int) error {
	k.Log++
	var r struct {
		Predicate struct {
			Kind     string
			Proposal string
			Actor    struct{ User string }
		}
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return err
	}
	switch r.Predicate.Kind {
	case receipts.KindDecisionRecorded:
		k.Receipts++
		logged[vote{r.Predicate.Proposal, r.Predicate.Actor.User}]++
	case receipts.KindDecisionRefused:
		k.Refusals++
	}
	return nil
}

func (e *estate) recorded() record {
	_, _, kept := e.votes()
	return kept
}

// judge compares what people were shown with what dw kept.
func (e *estate) judge(intents []intent, acked map[intent]bool) {
	e.t.Helper()
	rows, logged, kept := e.votes()
	for _, in := range intents {
		v := vote{in.proposal, in.user}
		if acked[in] && (rows[v] != 1 || logged[v] != 1) {
			e.t.Errorf("%s was shown that the approval of %s was taken: %d decisions, %d receipts", v.user, v.proposal, rows[v], logged[v])
		}
		if rows[v] != logged[v] || rows[v] > 1 {
			e.t.Errorf("%s on %s: %d decisions, %d receipts", v.user, v.proposal, rows[v], logged[v])
		}
	}
	if kept.Decisions != len(intents) {
		e.t.Errorf("%d decisions, want one of each of %d intents", kept.Decisions, len(intents))
	}
	e.verify()
}

// verify checks the whole log with the public key.
func (e *estate) verify() {
	e.t.Helper()
	ctx := context.Background()
	log, err := app.OpenLog(ctx, e.dsn)
	if err != nil {
		e.t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // only read
	key, err := os.ReadFile(e.path("keys/receipts.pub"))
	if err != nil {
		e.t.Fatal(err)
	}
	found, err := log.Verify(ctx, strings.TrimSpace(string(key)))
	if err != nil || found.Code != receipts.CodeGood {
		e.t.Errorf("the receipts do not verify: %v: %s", err, found.String())
		return
	}
	e.t.Logf("receipts          %s", found.String())
}

// report prints the counts.
func report(t *testing.T, n sizes, c tally, kept record, clicked, painted time.Duration) {
	t.Helper()
	t.Logf("tried             %d refreshes of all connections, %d kills, %d decisions to make", n.refreshes, n.kills, n.clicks)
	t.Logf("clicks sent       %d, of which %d repeat one that Slack showed as failed", c.Sent, c.Again)
	t.Logf("acknowledged      %d", c.Acked)
	t.Logf("failed for people %d: %d no connection, %d killed meanwhile, %d no answer in 3 s otherwise", c.Undelivered+c.ByKill+c.Unanswered, c.Undelivered, c.ByKill, c.Unanswered)
	t.Logf("not clicked again %d: the card had been painted as decided", c.Shown)
	t.Logf("Slack's mistakes  %d delivered twice, %d delivered again under a new envelope, %d acknowledgements lost", c.Twice, c.Redelivered, c.AcksDropped)
	t.Logf("kept              %d decisions, %d receipts of decisions, %d receipts of refused repeats, %d receipts in all", kept.Decisions, kept.Receipts, kept.Refusals, kept.Log)
	t.Logf("time              %s of clicks, %s until all was painted", clicked.Round(time.Second), painted.Round(time.Second))
}
