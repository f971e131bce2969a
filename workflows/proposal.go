package workflows

import (
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// ProposalState is where a proposal stands.
type ProposalState string

// The states of approvals.md rule 14. No edge leaves a final state, and only a
// human decision enters Approved.
const (
	Waiting         ProposalState = "waiting"
	Approved        ProposalState = "approved"
	Rejected        ProposalState = "rejected"
	Expired         ProposalState = "expired"
	Superseded      ProposalState = "superseded"
	Withdrawn       ProposalState = "withdrawn"
	Executing       ProposalState = "executing"
	Revoked         ProposalState = "revoked"
	Lapsed          ProposalState = "lapsed"
	NeedsReapproval ProposalState = "needs_reapproval"
	Verified        ProposalState = "verified"
	Failed          ProposalState = "failed"
	Halted          ProposalState = "halted"
	RolledBack      ProposalState = "rolled_back"
)

// StepState is where one step of a proposal stands.
type StepState string

// The states of a step.
const (
	StepPending StepState = "pending"
	StepWaiting StepState = "waiting_for_owner"
	StepRunning StepState = "running"
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
	StepSkipped StepState = "skipped"
	StepUndone  StepState = "undone" // done, and its recorded undo carried out later
)

// Role is why a person stands in a chain.
type Role string

// The roles of a chain, in the order in which they are asked.
const (
	RoleOwner      Role = "owner"
	RoleDeputy     Role = "deputy"
	RoleEscalation Role = "escalation"
	RolePolicy     Role = "policy" // decides about dw's own policy
)

// Person is a Slack user by ids; Name is for showing only, never for matching.
type Person struct {
	Team string `json:"team"`
	User string `json:"user"`
	Name string `json:"name,omitempty"`
}

// Same reports whether both are the same Slack user.
func (p Person) Same(q Person) bool { return p.User != "" && p.Team == q.Team && p.User == q.User }

// Link is one named approver of a chain.
type Link struct {
	Person
	Role    Role      `json:"role"`
	AskedAt time.Time `json:"asked_at"`          // zero: not asked yet
	OnCall  string    `json:"on_call,omitempty"` // rota by which the person stands here; empty: by name
	Group   string    `json:"group,omitempty"`   // user group by which the person stands here, for people
	GroupID string    `json:"group_id,omitempty"`
	For     Person    `json:"for,omitzero"`     // in whose place the person stands, by Delegation until ForUntil
	Named   bool      `json:"named,omitempty"`  // in their own right as well: leaving the group or a delegation that ends takes nothing away
	ReadAt  time.Time `json:"read_at,omitzero"` // when the rota or the group was read, once

	Delegation string    `json:"delegation,omitempty"` // id
	ForUntil   time.Time `json:"for_until,omitzero"`
}

// Verdict is what a named person decided.
type Verdict string

// The two verdicts, and the two ways of taking back.
const (
	Approve  Verdict = "approve"
	Reject   Verdict = "reject"
	Revoke   Verdict = "revoke"   // an approver's own approval, until execution starts
	Withdraw Verdict = "withdraw" // the proposer's own request, while it waits
	// What a person chooses for a run that was halted (approvals.md rule 8).
	RollBack Verdict = "roll_back" // the recorded undo of each done step, the last first
	GiveUp   Verdict = "give_up"   // failed; what is done stays
	Renew    Verdict = "renew"     // the steps that are left are asked anew
)

// Decision is one named person's verdict on one proposal hash.
type Decision struct {
	By         Person    `json:"by"`
	Role       Role      `json:"role"`
	Verdict    Verdict   `json:"verdict"`
	Hash       string    `json:"hash"` // hex of the proposal hash that the person saw
	Reason     string    `json:"reason,omitempty"`
	At         time.Time `json:"at"`           // dw's clock when the click arrived
	ActionTS   string    `json:"action_ts"`    // Slack's own time of the click
	EnvelopeID string    `json:"envelope_id"`  // Slack's delivery
	For        Person    `json:"for,omitzero"` // in whose place, of a stand-in
	RevokedAt  time.Time `json:"revoked_at"`   // zero: it counts
}

// StepStatus is the part of a step that changes.
type StepStatus struct {
	State    StepState `json:"state"`
	Since    time.Time `json:"since"`
	By       Person    `json:"by"`                 // who marked it done, empty if dw did or saw it
	Observed string    `json:"observed,omitempty"` // what dw read, where it could
	RunID    string    `json:"run_id,omitempty"`   // id from the answer of the external call
	RunURL   string    `json:"run_url,omitempty"`
	Problem  string    `json:"problem,omitempty"`
	Attempt  int       `json:"attempt,omitempty"` // launches intended so far
	// Choice is the number of the choice, from 1, under which an undo began.
	Choice int `json:"choice,omitempty"`
	// Doubted is who marked it done while dw read that it is not; a second click
	// of the same person insists, which is recorded.
	Doubted Person `json:"doubted"`
	Unclear bool   `json:"unclear,omitempty"` // a launch may or may not have had its effect
	Looked  int    `json:"looked,omitempty"`  // how often its tag was looked for since
	// Undo is where the roll back of a done step stands, nil before; never
	// written to in place.
	Undo *StepStatus `json:"undo,omitempty"`
}

// Clocks are the four stored times of a proposal; the verdict "expired" is a
// function of these and the clock at the click, whether a timer ran or not.
type Clocks struct {
	RemindAt      time.Time `json:"remind_at"`
	EscalateAt    time.Time `json:"escalate_at"` // next link; zero: nobody is left to ask
	ExpiresAt     time.Time `json:"expires_at"`
	ExecuteBefore time.Time `json:"execute_before"` // set at approval; each step must start before it
}

// Proposal is an immutable, hashed plan with the state of its decision.
// ID, Incident, Domain, Plan, Change, Title, Playbook, Key, After, BlastHash, PreChecks, Snapshot,
// PolicyVersion, Proposer, CreatedAt, Clocks.ExpiresAt, ExecuteWithin, the
// people of Chain, Quorum and Solo are inside the hash and never change.
type Proposal struct {
	ID            string                  `json:"id"`
	Incident      string                  `json:"incident"`
	Domain        string                  `json:"domain"`
	Key           string                  `json:"key"`
	Title         string                  `json:"title"`
	Playbook      string                  `json:"playbook,omitempty"` // CAUSE/KEY, the class that the record counts
	Plan          []diagnosis.PlannedStep `json:"plan"`
	Change        *Change                 `json:"change,omitempty"` // of dw's own policy; then there is neither incident nor plan
	After         []string                `json:"after,omitempty"`  // ids of proposals whose steps must be done first
	BlastHash     string                  `json:"blast_hash"`
	PreChecks     []PreCheck              `json:"pre_checks,omitempty"` // the failing results it answers
	Snapshot      []Reading               `json:"snapshot,omitempty"`   // one per Plan entry: its target as it was when asked
	PolicyVersion string                  `json:"policy_version"`
	Proposer      receipts.Actor          `json:"proposer"`
	CreatedAt     time.Time               `json:"created_at"`
	ExecuteWithin time.Duration           `json:"execute_within"`
	Hash          string                  `json:"hash"` // hex SHA-256

	Nonce      string        `json:"nonce"` // single-use 128 bits of its message, hex
	State      ProposalState `json:"state"`
	Clocks     Clocks        `json:"clocks"`
	Chain      []Link        `json:"chain"`
	CC         []Person      `json:"cc,omitempty"`
	Quorum     int           `json:"quorum"`
	Authors    []Author      `json:"authors,omitempty"` // of the changes among the evidence, none of whom decides
	Solo       bool          `json:"solo,omitempty"`
	Unresolved []string      `json:"unresolved,omitempty"`  // who could not be asked, and who was instead
	ReplacedBy string        `json:"replaced_by,omitempty"` // id of the proposal that superseded it
	Decisions  []Decision    `json:"decisions,omitempty"`
	Choices    []Choice      `json:"choices,omitempty"` // made when it was halted, oldest first
	Steps      []StepStatus  `json:"steps"`             // one per Plan entry
	Itself     *Itself       `json:"itself,omitempty"`  // its playbook was opened for dw to act by itself when it was made; never written to in place
	UndoneAt   time.Time     `json:"undone_at"`
	Message    MessageRef    `json:"message"`
	Rev        int64         `json:"rev"`
}
