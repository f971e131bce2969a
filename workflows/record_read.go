package workflows

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/receipts"
)

// recordPage is how many receipts are read at once.
const recordPage = 500

// recordKinds are the receipts that the record counts.
func recordKinds() []string {
	return []string{
		receipts.KindIncidentOpened, receipts.KindIncidentResolved, receipts.KindProposalCreated, receipts.KindDecisionRecorded,
		receipts.KindDecisionRevoked, receipts.KindExpiry, receipts.KindStepOutcome, receipts.KindStepOwnerDone, receipts.KindVerification,
		receipts.KindAutonomyWouldPropose, receipts.KindAutonomyActed,
	}
}

// statement is what the record reads of a receipt. Numbers stand in receipts as
// text.
type statement struct {
	Predicate struct {
		Kind     string          `json:"kind"`
		Incident string          `json:"incident"`
		Proposal string          `json:"proposal"`
		At       time.Time       `json:"at"`
		Body     json.RawMessage `json:"body"`
	} `json:"predicate"`
}

// statementBody is what the record reads of the bodies of its kinds.
type statementBody struct {
	Domain   string `json:"domain"`
	Document struct {
		Domain   string          `json:"domain"`
		Key      string          `json:"key"`
		Playbook string          `json:"playbook"`
		Change   json.RawMessage `json:"change"`
	} `json:"document"`
	Verdict   string          `json:"verdict"`
	Approvals json.Number     `json:"approvals"`
	Quorum    json.Number     `json:"quorum"`
	What      string          `json:"what"`
	State     string          `json:"state"`
	Undo      json.RawMessage `json:"undo"` // true, or the list of a resolved incident
	OK        bool            `json:"ok"`
	Cause     string          `json:"cause"`
	Proposals json.RawMessage `json:"proposals"` // ids, or what would have been proposed
}

// RecordOf counts the receipts of a log about one domain.
func RecordOf(ctx context.Context, log ReceiptReads, domain string, now time.Time) (Record, error) {
	wanted := make([][]byte, 0, len(recordKinds()))
	for _, kind := range recordKinds() {
		wanted = append(wanted, []byte(`"kind":"`+kind+`"`))
	}
	r := newRecorder(domain)
	for after := int64(0); ; {
		page, err := log.Receipts(ctx, after, recordPage)
		if err != nil {
			return Record{}, fmt.Errorf("read receipts after %d: %w", after, err)
		}
		for _, e := range page {
			after = e.Seq
			if !containsAny(e.Bytes, wanted) {
				continue
			}
			if err := r.add(e); err != nil {
				return Record{}, err
			}
		}
		if len(page) < recordPage {
			return r.record(after, now), nil
		}
	}
}

func containsAny(b []byte, some [][]byte) bool {
	for _, s := range some {
		if bytes.Contains(b, s) {
			return true
		}
	}
	return false
}

func (r *recorder) add(e receipts.Entry) error {
	var s statement
	var b statementBody
	if err := json.Unmarshal(e.Bytes, &s); err != nil {
		return fmt.Errorf("read receipt %d: %w", e.Seq, err)
	}
	if !slices.Contains(recordKinds(), s.Predicate.Kind) {
		return nil // the words stood elsewhere in it
	}
	if err := json.Unmarshal(s.Predicate.Body, &b); err != nil {
		return fmt.Errorf("read the body of receipt %d: %w", e.Seq, err)
	}
	m := mark{seq: e.Seq, at: s.Predicate.At}
	r.addIncident(s, b, m)
	r.addProposal(s, b, m)
	return nil
}

func (r *recorder) addIncident(s statement, b statementBody, m mark) {
	id := s.Predicate.Incident
	if s.Predicate.Kind == receipts.KindIncidentOpened && b.Domain == r.domain {
		r.incidents[id] = &incidentFacts{opened: m, would: map[string]mark{}}
	}
	i := r.incidents[id]
	if i == nil {
		return
	}
	switch s.Predicate.Kind {
	case receipts.KindIncidentResolved:
		i.resolved = m
	case receipts.KindAutonomyWouldPropose:
		var plans []struct {
			Key string `json:"key"`
		}
		_ = json.Unmarshal(b.Proposals, &plans) // one that names no plan counts none
		for _, p := range plans {
			class := playbookOf(b.Cause, p.Key)
			if _, again := i.would[class]; !again {
				i.would[class] = m
			}
		}
	}
}

func (r *recorder) addProposal(s statement, b statementBody, m mark) {
	if s.Predicate.Kind == receipts.KindVerification && b.OK {
		var ids []string
		_ = json.Unmarshal(b.Proposals, &ids) // one that names no proposal verified none
		for _, id := range ids {
			if p := r.proposals[id]; p != nil {
				p.verified = m
			}
		}
		return
	}
	if s.Predicate.Kind == receipts.KindProposalCreated && b.Document.Domain == r.domain && len(b.Document.Change) == 0 {
		class := b.Document.Playbook
		if class == "" {
			class = playbookOf("", b.Document.Key)
		}
		r.proposals[s.Predicate.Proposal] = &proposalFacts{class: class, incident: s.Predicate.Incident, made: m}
		return
	}
	if p := r.proposals[s.Predicate.Proposal]; p != nil {
		p.add(s.Predicate.Kind, b, m)
	}
}

func (p *proposalFacts) add(kind string, b statementBody, m mark) {
	switch kind {
	case receipts.KindDecisionRecorded:
		p.decided(b, m)
	case receipts.KindAutonomyActed:
		p.acted = m
	case receipts.KindDecisionRevoked:
		if b.State == string(Revoked) {
			p.approved = mark{}
		}
	case receipts.KindExpiry:
		if b.What == "decision" {
			p.expired = m
		}
	case receipts.KindStepOutcome:
		switch undo := string(b.Undo) == "true"; {
		case undo && (b.State == string(StepUndone) || b.State == string(StepDone)):
			p.undo = m
		case !undo && b.State == string(StepFailed):
			p.failed = m
		}
	case receipts.KindStepOwnerDone:
		if string(b.Undo) == "true" {
			p.undo = m
		}
	}
}

func (p *proposalFacts) decided(b statementBody, m mark) {
	approvals, errA := b.Approvals.Int64()
	quorum, errQ := b.Quorum.Int64()
	switch {
	case b.Verdict == string(Reject):
		p.rejected = m
	case b.Verdict == string(Approve) && errA == nil && errQ == nil && approvals >= quorum:
		p.approved = m
	}
}

// playbookOf names what is proposed of one kind for one cause, "cause/key": all
// the holds of one incident, "hold:" and the job, are one playbook.
func playbookOf(cause, key string) string {
	key, _, _ = strings.Cut(key, ":")
	if cause == "" {
		return key
	}
	return cause + "/" + key
}
