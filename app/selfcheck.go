package app

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"dw/blocks"
	"dw/bot"
	"dw/connectors/pagerduty"
	"dw/receipts"
	"dw/workflows"
)

// selfCheck verifies the stored log again and again while dw runs.
type selfCheck struct {
	app     *App
	anchors *anchors
	problem atomic.Pointer[string] // nil: the log verified, or was not looked at yet
}

// keep checks at start and then every hour, or as configured.
func (s *selfCheck) keep(ctx context.Context) error {
	ticks := time.NewTicker(s.app.project.Config.Receipts.SelfCheckEvery.Or(time.Hour))
	defer ticks.Stop()
	for {
		if err := s.check(ctx); err != nil && ctx.Err() == nil {
			s.app.log.Error("the receipts could not be checked", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// check compares the log with its head, its newest checkpoint and the anchors. What
// it finds holds until a later check finds the log whole.
func (s *selfCheck) check(ctx context.Context) error {
	known, err := s.anchors.known(ctx)
	if err != nil {
		return err
	}
	signer, err := loadSigner(s.app.project.Config.Receipts.KeyFile)
	if err != nil {
		return err
	}
	report, err := s.app.receipts.Verify(ctx, signer.VerifierKey(), known...)
	if err != nil {
		return err
	}
	if report.Code == receipts.CodeGood || report.Code == receipts.CodeUnsigned {
		s.problem.Store(nil)
		return nil
	}
	found := report.String()
	if before := s.problem.Swap(&found); before != nil && *before == found {
		return nil // said already
	}
	s.app.log.Error("the log of receipts does not verify: no step of dw's own starts until it does", "report", found)
	s.tell(ctx, found)
	return s.record(ctx, report)
}

func (s *selfCheck) record(ctx context.Context, report receipts.Report) error {
	return s.app.store.Update(ctx, func(tx workflows.Tx) error {
		_, err := tx.AppendReceipt(ctx, receipts.Draft{
			Kind: receipts.KindLogMismatch, Actor: receipts.Actor{Kind: receipts.ActorDW, Name: "dw"}, At: s.app.project.Now(),
			Body: receipts.Object{"code": report.Code, "first_bad": report.FirstBad, "problem": report.String()},
		})
		return err
	})
}

// tell pages whoever the domains page, and says it in every domain's channel and to
// its owner. A failure to tell is logged; the others are told all the same.
func (s *selfCheck) tell(ctx context.Context, found string) {
	text := "dw's log of receipts does not verify: " + found + ". Somebody changed or cut it, or an old backup was put back. " +
		"Keep the database as it is and see docs/receipts.md. Until it verifies, dw starts no step of its own."
	said := blocks.Private(text)
	message := bot.Message{Text: said.Text, Blocks: said.Blocks}
	var services, channels []string
	for _, policy := range s.app.allPolicies() {
		if policy.PageService != "" && policy.Page != workflows.Never && !slices.Contains(services, policy.PageService) {
			services = append(services, policy.PageService)
		}
		if policy.Channel != "" && !slices.Contains(channels, policy.Channel) {
			channels = append(channels, policy.Channel)
			if _, err := s.app.speaker().Post(ctx, policy.Channel, message, bot.PostOptions{Urgent: true}); err != nil {
				s.app.log.Error("the channel could not be told", "channel", policy.Channel, "error", err)
			}
		}
		s.app.deliverer.TellOwner(ctx, policy, text)
	}
	if s.app.pager == nil {
		return
	}
	for _, service := range services {
		alert := pagerduty.Alert{
			Service: service, DedupKey: "dw-receipts-" + s.app.project.Config.Instance, Summary: "dw's log of receipts does not verify",
			Source: s.app.project.Config.Instance, Severity: "critical", At: s.app.project.Now(), Details: map[string]string{"report": found},
		}
		if err := s.app.pager.client.Trigger(ctx, alert); err != nil {
			s.app.log.Error("nobody could be paged", "service", service, "error", err)
		}
	}
}

// refuse holds a step of dw's own back while the log does not verify: what allowed
// it cannot be trusted. The queue tries it again.
func (s *selfCheck) refuse(e workflows.Effect) error {
	problem := s.problem.Load()
	if problem == nil || e.Kind != workflows.EffectStep {
		return nil
	}
	return fmt.Errorf("the step waits: the log of receipts does not verify: %s", *problem)
}
