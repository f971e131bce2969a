package workflows

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"dw/checks"
	"dw/receipts"
)

// TeachRequest is one click that says what a verdict of the detector was.
type TeachRequest struct {
	By         Person
	NotAllowed string // why Slack's facts forbid this person to say it, empty if they do not
	Incident   string
	Key        string // of the check, as CheckKey makes it
	Word       string // an Answer constant of checks
	OfLevel    bool   // it answers whether a new level is usual; AnswerReal says no
	At         time.Time
}

// CheckKey stands for a check where its name is too long: the first 64 bits of its
// SHA-256, in hex.
func CheckKey(check string) string {
	sum := sha256.Sum256([]byte(check))
	return hex.EncodeToString(sum[:8])
}

// Teacher takes what people say of the detector's verdicts.
type Teacher interface {
	Teach(ctx context.Context, r TeachRequest) (Answer, error)
}

var _ Teacher = (*Service)(nil)

// Said is what somebody said of what the detector found.
type Said struct {
	Check   string    `json:"check"`
	Word    string    `json:"word"`
	OfLevel bool      `json:"level,omitempty"`
	By      Person    `json:"by"`
	At      time.Time `json:"at"`
}

// LevelQuestion asks once whether a new level of a check's table is usual.
type LevelQuestion struct {
	Check string    `json:"check"`
	Times float64   `json:"times"` // the old level
	At    time.Time `json:"at"`    // within the day at whose end it came up
}

// Teach records what a person says of a verdict, which the detector heeds from the
// next run on. Anybody may say that it was a real fault; what quietens the detector
// is said by those who decide for the domain.
func (s *Service) Teach(ctx context.Context, r TeachRequest) (Answer, error) {
	stored, _, err := s.Incident(ctx, r.Incident)
	if errors.Is(err, ErrNotFound) {
		return Answer{Text: "dw has no such incident."}, nil
	}
	if err != nil {
		return Answer{}, err
	}
	// Who is on call is asked outside the transaction.
	policy := s.onCall(ctx, s.policy(stored.Domain))
	var a Answer
	err = s.write(ctx, func(w *work) (err error) {
		a, err = s.teach(ctx, w, r, policy)
		return err
	})
	if err != nil {
		return Answer{}, fmt.Errorf("record what was said of incident %s: %w", r.Incident, err)
	}
	return a, nil
}

func (s *Service) teach(ctx context.Context, w *work, r TeachRequest, policy Policy) (Answer, error) {
	i, err := w.incident(ctx, r.Incident)
	if err != nil {
		return Answer{}, err
	}
	if why := refuseTeaching(r, policy); why != nil {
		w.out.receipt(i.draft(receipts.KindDecisionRefused, human(r.By), w.now, receipts.Object{
			"action": "say_" + clean(r.Word), "check": clean(r.Key), "code": string(why.Code), "why": clean(why.Text), "arrived_at": timeOr(r.At),
		}))
		return Answer{Text: why.Text}, nil
	}
	next, said, out, answer := taught(i, r, w.now)
	if !answer.OK {
		return answer, nil
	}
	if err := w.tx.PutAnswer(ctx, answerID(r), said); err != nil {
		return Answer{}, err
	}
	w.setIncident(next, out)
	return answer, s.endExcused(ctx, w, next, r)
}

// answerID is one for each question: who answers again corrects themselves or
// another.
func answerID(r TeachRequest) string {
	if r.OfLevel {
		return r.Incident + "/level/" + r.Key
	}
	return r.Incident + "/" + r.Key
}

// refuseTeaching says who may not say this.
func refuseTeaching(r TeachRequest, p Policy) *Refusal {
	var may []Person
	for _, link := range p.candidates() {
		if link.User != "" && !slices.ContainsFunc(may, link.Same) {
			may = append(may, link.Person)
		}
	}
	switch {
	case r.NotAllowed != "":
		return refuse(RefusedNotAllowed, "This is not recorded: %s.", r.NotAllowed)
	case (r.Word != checks.AnswerReal || r.OfLevel) && !slices.ContainsFunc(may, r.By.Same):
		return refuse(RefusedNotInChain, "This is not recorded: what quietens the detector is said by those who decide for %s: %s.", p.Domain, namesText(may))
	}
	return nil
}

// taught records in the incident what was said, and returns what the check is told.
func taught(i Incident, r TeachRequest, now time.Time) (Incident, checks.Answer, Outcome, Answer) {
	at := slices.IndexFunc(i.Signals, func(s Signal) bool { return CheckKey(s.Check) == r.Key && s.Result.Found() })
	if at < 0 {
		return i, checks.Answer{}, Outcome{}, Answer{Text: "The detector found nothing of this check in this incident."}
	}
	check := i.Signals[at].Check
	if r.OfLevel && !slices.ContainsFunc(i.Levels, func(q LevelQuestion) bool { return q.Check == check }) {
		return i, checks.Answer{}, Outcome{}, Answer{Text: "Nobody was asked about a new level of this check."}
	}
	if slices.ContainsFunc(i.Said, func(s Said) bool {
		return s.Check == check && s.OfLevel == r.OfLevel && s.Word == r.Word && s.By.Same(r.By)
	}) {
		return i, checks.Answer{}, Outcome{}, Answer{Text: "You said this already."}
	}
	found := i.Signals[at].Result.Detection
	said := checks.Answer{Check: check, Word: r.Word, Start: found.Start, End: found.End, By: r.By.shown(), At: now.UTC()}
	i = i.clone()
	i.UpdatedAt = now.UTC()
	i.Said = slices.DeleteFunc(slices.Clone(i.Said), func(s Said) bool { return s.Check == check && s.OfLevel == r.OfLevel })
	i.Said = append(i.Said, Said{Check: check, Word: r.Word, OfLevel: r.OfLevel, By: r.By, At: now.UTC()})
	if said.Quietens() && i.Signals[at].Passed.IsZero() {
		i.Signals[at].Passed = now.UTC()
	}
	var out Outcome
	out.receipt(i.draft(receipts.KindIncidentUpdated, human(r.By), now, receipts.Object{
		"what": "detector_answer", "check": clean(check), "word": r.Word, "about_level": r.OfLevel,
		"from": timeOr(said.Start), "until": timeOr(said.End), "arrived_at": timeOr(r.At),
	}))
	out.note(i.ID, fmt.Sprintf("%s says of %s: %s. %s", r.By.shown(), check, said.Words(), trains(r)))
	return i, said, out, Answer{OK: true, Text: "Recorded. " + trains(r)}
}

// trains says what an answer does.
func trains(r TeachRequest) string {
	switch {
	case r.OfLevel && r.Word == checks.AnswerReal:
		return "The old level stays what is expected; these days are not learned from."
	case r.Word == checks.AnswerReal:
		return "These buckets are not learned from."
	case r.Word == checks.AnswerExpected:
		return "These buckets are learned from, and what goes on of it within a day is not told again."
	case r.Word == checks.AnswerOneOff:
		return "These buckets are neither judged nor learned from; nothing else changes."
	}
	return "From today on the new level is what is expected."
}

// endExcused ends an incident of which people said that nothing is left that is a
// fault, unless approved work is under way.
func (s *Service) endExcused(ctx context.Context, w *work, i Incident, r TeachRequest) error {
	if i.State == Resolved || !i.recovered() || r.Word == checks.AnswerReal {
		return nil
	}
	all, err := w.proposalsOf(ctx, i.ID)
	if err != nil || inFlight(all) {
		return err
	}
	why := fmt.Sprintf("%s said that it is %s", r.By.shown(), checks.Answer{Word: r.Word}.Words())
	w.withdrawWaiting(all, why)
	next, out := closeIncident(i, nil, why, w.now)
	out.note(i.ID, "Nothing else is wrong, so the incident is resolved.")
	w.setIncident(next, out)
	return nil
}

// asked adds the question whether a new level is usual, once for each day on which
// it came up.
func asked(i Incident, r checks.Result, now time.Time) (Incident, Outcome) {
	var out Outcome
	if r.Detection == nil || r.Detection.NewLevel == 0 || i.State == Resolved {
		return i, out
	}
	if slices.ContainsFunc(i.Levels, func(q LevelQuestion) bool { return q.Check == r.Check && !q.At.Before(r.Detection.LevelAt) }) {
		return i, out
	}
	i.Levels = append(slices.Clip(i.Levels), LevelQuestion{Check: r.Check, Times: r.Detection.NewLevel, At: r.Detection.LevelAt})
	i.UpdatedAt = now.UTC()
	out.receipt(i.draft(receipts.KindIncidentUpdated, itself(), now, receipts.Object{
		"what": "new_level_asked", "check": clean(r.Check), "times": fmt.Sprintf("%.2f", r.Detection.NewLevel), "day": timeOr(r.Detection.LevelAt),
	}))
	out.note(i.ID, fmt.Sprintf("%s has been at about %.2f times its old level for days. Is that the new normal? The card has the buttons; without an answer the old level stays.", r.Check, r.Detection.NewLevel))
	return i, out
}

// LevelOpen returns the newest question about a level that nobody has answered, and
// false where there is none.
func (i Incident) LevelOpen() (LevelQuestion, bool) {
	for _, q := range slices.Backward(i.Levels) {
		if !slices.ContainsFunc(i.Said, func(s Said) bool { return s.OfLevel && s.Check == q.Check && s.At.After(q.At) }) {
			return q, true
		}
	}
	return LevelQuestion{}, false
}

// Unsaid returns the first check whose finding nobody has judged, and false where
// there is none.
func (i Incident) Unsaid() (string, bool) {
	for _, s := range i.Signals {
		if s.Result.Found() && !slices.ContainsFunc(i.Said, func(said Said) bool { return said.Check == s.Check && !said.OfLevel }) {
			return s.Check, true
		}
	}
	return "", false
}
