package workflows

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dw/checks"
)

// KindSignal is the kind of a result that another tool found.
const KindSignal = "signal"

// ReportMemory is how long the event of a report is remembered, so that the
// same statement, sent again, counts once.
const ReportMemory = 9 * 24 * time.Hour

// Report is what another tool says of one of its checks.
type Report struct {
	Event   string        // the same for every delivery of one statement, different for any other
	Result  checks.Result // of KindSignal, with Tool set
	Unknown string        // why the asset is not known; then Result.Asset is empty
}

// ReportOutcome is what became of a report.
type ReportOutcome string

// The outcomes of a report.
const (
	ReportRecorded ReportOutcome = "recorded"
	ReportKnown    ReportOutcome = "known" // the same statement was recorded before
	ReportOld      ReportOutcome = "old"   // kept, but the tool has said something newer of the check
)

// OnReport records what another tool says. It opens, feeds or recovers an
// incident as a result of dw's own checks does, once for each event. What is
// overtaken by a newer statement, and what belongs to no known asset, is kept
// and moves no incident; the domain's channel is told once of the latter.
func (s *Service) OnReport(ctx context.Context, r Report) (ReportOutcome, error) {
	outcome := ReportRecorded
	err := s.write(ctx, func(w *work) (err error) {
		outcome, err = s.report(ctx, w, r)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("record what %s says of check %s: %w", r.Result.Tool, r.Result.Check, err)
	}
	return outcome, nil
}

func (s *Service) report(ctx context.Context, w *work, r Report) (ReportOutcome, error) {
	subject := "signal/" + r.Event
	_, seen, err := w.tx.Deadline(ctx, DeadlineForget, subject)
	if err != nil {
		return "", fmt.Errorf("look up the event: %w", err)
	}
	// Also of a repeat: an alert that goes on is sent again and again.
	w.out.set(Deadline{Kind: DeadlineForget, Subject: subject, DueAt: w.now.Add(ReportMemory)})
	if seen {
		return ReportKnown, nil
	}
	last, found, err := w.tx.LastResult(ctx, r.Result.Check)
	switch {
	case err != nil:
		return "", fmt.Errorf("read what the tool said before: %w", err)
	case found && r.Result.At.Before(last.At):
		return ReportOld, w.tx.PutResult(ctx, r.Result)
	case r.Unknown != "":
		s.tellUnknown(w, r)
		return ReportRecorded, w.tx.PutResult(ctx, r.Result)
	}
	return ReportRecorded, s.record(ctx, w, r.Result)
}

// tellUnknown says once for each check that a tool's alarm belongs to no asset
// that dw knows: nobody would hear of it otherwise.
func (s *Service) tellUnknown(w *work, r Report) {
	policy := s.policy(r.Result.Domain)
	bad := r.Result.Status == checks.Fail || r.Result.Status == checks.Warn
	if !bad || policy.Channel == "" || policy.may(DeedDiagnose).Permission != Allow {
		return
	}
	text := fmt.Sprintf("%s. Unknown asset, so no incident: %s. Name it in dw's lineage, or tie the check to an asset under signals.",
		saysText(r.Result, w.now), r.Unknown)
	w.out.effect(EffectNotice, "unknown-asset/"+r.Result.Check, Notice{Channel: policy.Channel, Text: clean(text), Since: w.now.UTC()})
}

// sourceText names a check, and the tool whose it is where it is not dw's own.
func sourceText(r checks.Result) string {
	if r.Tool == "" {
		return r.Check
	}
	if strings.HasSuffix(r.Tool, "s") {
		return r.Tool + "' " + r.Check
	}
	return r.Tool + "'s " + r.Check
}

// saysText is what a result says, with the tool that says so and since when.
func saysText(r checks.Result, now time.Time) string {
	if r.Tool == "" {
		return fmt.Sprintf("%s: %s", r.Check, r.Message)
	}
	return fmt.Sprintf("%s said at %s of %s: %s", r.Tool, clockText(r.At, now), r.Check, r.Message)
}
