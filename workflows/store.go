package workflows

import (
	"context"
	"errors"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/receipts"
)

// Errors that every store answers with.
var (
	// ErrNotFound says that no row has the id asked for.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that somebody else wrote the row since it was read.
	ErrConflict = errors.New("changed by somebody else meanwhile")
)

// Store runs transactions. Update commits rows, receipts and effects together
// or not at all; View sees one consistent state.
type Store interface {
	Update(ctx context.Context, do func(Tx) error) error
	View(ctx context.Context, do func(ReadTx) error) error
}

// IncidentReads reads incidents.
type IncidentReads interface {
	Incident(ctx context.Context, id string) (Incident, error)
	// Incidents lists newest first; openOnly leaves resolved ones out.
	Incidents(ctx context.Context, openOnly bool, limit int) ([]Incident, error)
}

// ProposalReads reads proposals.
type ProposalReads interface {
	Proposal(ctx context.Context, id string) (Proposal, error)
	ProposalsOf(ctx context.Context, incident string) ([]Proposal, error)
	// ProposalsIn lists proposals in any of the states, oldest first.
	ProposalsIn(ctx context.Context, states ...ProposalState) ([]Proposal, error)
}

// ResultReads reads results of checks.
type ResultReads interface {
	LastResult(ctx context.Context, check string) (checks.Result, bool, error)
	// LastAnswer is the newest result that is neither error nor skipped: what a
	// check may build on.
	LastAnswer(ctx context.Context, check string) (checks.Result, bool, error)
	LastResults(ctx context.Context) ([]checks.Result, error) // newest of every check
}

// ChangeReads reads change events, newest first.
type ChangeReads interface {
	Changes(ctx context.Context, since, until time.Time) ([]diagnosis.ChangeEvent, error)
}

// ReceiptReads reads the log.
type ReceiptReads interface {
	Head(ctx context.Context) (receipts.Head, error)
	Receipts(ctx context.Context, after int64, limit int) ([]receipts.Entry, error)
	Checkpoint(ctx context.Context) ([]byte, error) // newest signed note, nil before the first
}

// DeadlineReads lists what is due.
type DeadlineReads interface {
	Due(ctx context.Context, now time.Time, limit int) ([]Deadline, error)
	Deadline(ctx context.Context, kind, subject string) (Deadline, bool, error)
}

// StopReads reads the stop. Where its row cannot be understood the answer is
// Unreadable, which is on; where it cannot be read, an error.
type StopReads interface {
	Stop(ctx context.Context) (Stop, error)
}

// DelegationReads reads who stands in for whom.
type DelegationReads interface {
	Delegation(ctx context.Context, id string) (Delegation, error)
	// Delegations lists those that end after a time, revoked ones too, oldest first.
	Delegations(ctx context.Context, endingAfter time.Time) ([]Delegation, error)
}

// DelegationWrites writes a delegation, with Rev as RowWrites does.
type DelegationWrites interface {
	PutDelegation(ctx context.Context, d Delegation) (Delegation, error)
}

// AnswerReads lists what people said of a check's verdicts, oldest first.
type AnswerReads interface {
	Answers(ctx context.Context, check string) ([]checks.Answer, error)
}

// AnswerWrites stores what one person said, in place of what stands there by the
// same id.
type AnswerWrites interface {
	PutAnswer(ctx context.Context, id string, a checks.Answer) error
}

// ReadTx is a consistent view.
type ReadTx interface {
	IncidentReads
	ProposalReads
	ResultReads
	ChangeReads
	ReceiptReads
	DeadlineReads
	StopReads
	PolicyReads
	DelegationReads
	AnswerReads
}

// RowWrites writes rows. Put of an incident or proposal compares Rev with the
// stored one (0: must be new), stores Rev+1, and answers ErrConflict otherwise.
type RowWrites interface {
	PutIncident(ctx context.Context, i Incident) (Incident, error)
	PutProposal(ctx context.Context, p Proposal) (Proposal, error)
	PutResult(ctx context.Context, r checks.Result) error
	// PutChange reports false where the event was known already.
	PutChange(ctx context.Context, c diagnosis.ChangeEvent) (bool, error)
}

// DeadlineWrites moves deadlines. SetDeadline replaces the one of the same kind
// and subject. TakeDeadline removes exactly this one and reports false where it
// is gone or has moved.
type DeadlineWrites interface {
	SetDeadline(ctx context.Context, d Deadline) error
	TakeDeadline(ctx context.Context, d Deadline) (bool, error)
	DropDeadlines(ctx context.Context, subject string) error
}

// LogWrites appends to the log and queues effects.
type LogWrites interface {
	AppendReceipt(ctx context.Context, d receipts.Draft) (receipts.Entry, error)
	Enqueue(ctx context.Context, e Effect) error
}

// StopWrites writes the stop. The Rev of s must be the stored one plus one;
// otherwise the answer is ErrConflict.
type StopWrites interface {
	PutStop(ctx context.Context, s Stop) (Stop, error)
}

// Tx is one transaction.
type Tx interface {
	ReadTx
	RowWrites
	DeadlineWrites
	LogWrites
	StopWrites
	PolicyWrites
	DelegationWrites
	AnswerWrites
}
