package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
)

const proposalDomain = "dw/proposal/v1\n"

// PreCheck is one result that the proposal answers, as it was when proposed.
type PreCheck struct {
	Check   string    `json:"check"`
	Asset   string    `json:"asset"`
	Status  string    `json:"status"`
	Value   string    `json:"value"` // the number with its unit, empty if there is none
	At      time.Time `json:"at"`
	Message string    `json:"message"`
}

// ProposalHash returns the hex SHA-256 of "dw/proposal/v1\n" and the canonical
// bytes of what p proposes. State, decisions, clocks of reminding and asking,
// nonce and message are left out: they change. It fails for text that has no
// canonical form.
func ProposalHash(p Proposal) (string, error) {
	b, err := receipts.Canonical(proposalDocument(p))
	if err != nil {
		return "", fmt.Errorf("hash proposal %s: %w", p.ID, err)
	}
	sum := sha256.Sum256(append([]byte(proposalDomain), b...))
	return hex.EncodeToString(sum[:]), nil
}

// proposalDocument is the value that is hashed; proposal.created repeats it, so
// that an outsider can compute the hash from the receipt.
func proposalDocument(p Proposal) receipts.Object {
	d := planDocument(p)
	if p.Change != nil {
		d["change"] = p.Change.document()
	}
	if len(p.Snapshot) > 0 { // those of older versions have none
		d["snapshot"] = snapshotDocument(p.Snapshot)
	}
	if len(p.Authors) > 0 {
		d["authors"] = authorsDocument(p.Authors)
	}
	if p.Playbook != "" {
		d["playbook"] = clean(p.Playbook)
	}
	return d
}

func planDocument(p Proposal) receipts.Object {
	return receipts.Object{
		"id": p.ID, "incident": p.Incident, "domain": p.Domain,
		"key": p.Key, "title": p.Title, "after": p.After,
		"steps":          stepsDocument(p.Plan),
		"blast_hash":     p.BlastHash,
		"pre_checks":     preChecksDocument(p.PreChecks),
		"policy_version": p.PolicyVersion,
		"proposer": receipts.Object{
			"kind": p.Proposer.Kind, "team": p.Proposer.Team, "user": p.Proposer.User, "name": p.Proposer.Name,
		},
		"created_at":     timeOr(p.CreatedAt),
		"expires_at":     timeOr(p.Clocks.ExpiresAt),
		"execute_within": p.ExecuteWithin.String(),
		"approvers":      chainDocument(p.Chain),
		"quorum":         p.Quorum,
		"solo":           p.Solo,
	}
}

func chainDocument(chain []Link) []receipts.Value {
	out := make([]receipts.Value, 0, len(chain))
	for _, l := range chain {
		o := receipts.Object{"team": l.Team, "user": l.User, "role": string(l.Role)}
		if l.OnCall != "" {
			o["on_call"], o["read_at"] = clean(l.OnCall), timeOr(l.ReadAt)
		}
		if l.Group != "" {
			o["group"], o["group_id"], o["named"], o["read_at"] = clean(l.Group), clean(l.GroupID), l.Named, timeOr(l.ReadAt)
		}
		if l.For.User != "" {
			o["for"], o["delegation"], o["for_until"], o["named"] = userOf(l.For), l.Delegation, timeOr(l.ForUntil), l.Named
		}
		out = append(out, o)
	}
	return out
}

func preChecksDocument(prechecks []PreCheck) []receipts.Value {
	out := make([]receipts.Value, 0, len(prechecks))
	for _, c := range prechecks {
		out = append(out, receipts.Object{
			"check": c.Check, "asset": c.Asset, "status": c.Status,
			"value": c.Value, "at": timeOr(c.At), "message": clean(c.Message),
		})
	}
	return out
}

func stepsDocument(plan []diagnosis.PlannedStep) []receipts.Value {
	out := make([]receipts.Value, 0, len(plan))
	for _, s := range plan {
		undo := receipts.Object{}
		if s.UndoAction != nil {
			undo = actionDocument(*s.UndoAction)
		}
		out = append(out, receipts.Object{
			"kind": string(s.Kind), "title": s.Title, "by": s.By,
			"action": actionDocument(s.Action),
			"file":   s.File, "root": s.Root, "diff": s.Diff,
			"undo": s.Undo, "undo_action": undo,
			"reversible": s.Reversible, "reason": s.Reason,
		})
	}
	return out
}

func actionDocument(a diagnosis.Action) receipts.Object {
	args := receipts.Object{}
	for k, v := range a.Args {
		args[k] = v
	}
	return receipts.Object{"system": a.System, "name": a.Name, "target": string(a.Target), "args": args}
}

// planDigest identifies what is planned, without id and times: a plan made
// again with the same digest asks for the same thing.
func planDigest(title string, plan []diagnosis.PlannedStep) (string, error) {
	b, err := receipts.Canonical(receipts.Object{"title": title, "steps": stepsDocument(plan)})
	if err != nil {
		return "", fmt.Errorf("digest plan %q: %w", title, err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// blastHash returns the hex hash of the snapshot of the blast radius, "" where
// none was mapped.
func blastHash(b *lineage.BlastRadius) string {
	if b == nil {
		return ""
	}
	sum := b.Hash()
	return hex.EncodeToString(sum[:])
}

func preChecks(signals []Signal) []PreCheck {
	out := make([]PreCheck, 0, len(signals))
	for _, s := range signals {
		c := PreCheck{
			Check: s.Check, Asset: string(s.Result.Asset), Status: string(s.Result.Status),
			At: s.Result.At.UTC(), Message: s.Result.Message,
		}
		if o := s.Result.Observed; o != nil {
			c.Value = strconv.FormatFloat(o.Value, 'g', -1, 64) + " " + o.Unit
		}
		out = append(out, c)
	}
	return out
}
