package workflows

import (
	"strings"
	"time"
)

// Level is a domain's autonomy level.
type Level int

// The levels of approvals.md. L1 is the shipped default; L4 is not offered.
const (
	L0Manual Level = iota
	L1Observe
	L2Propose
	L3Act
)

// ParseLevel reads "L2", in either case; the level is unknown to dw where ok is
// false.
func ParseLevel(text string) (level Level, ok bool) {
	for l := L0Manual; l <= L3Act; l++ {
		if strings.EqualFold(text, l.String()) {
			return l, true
		}
	}
	return 0, false
}

// Policy is what one domain's configuration decides; app fills it from the
// configuration with every person resolved to a Slack user.
type Policy struct {
	Domain        string        `json:"domain"`
	Level         Level         `json:"level"`
	Owner         Person        `json:"owner"`
	Deputy        Person        `json:"deputy"`
	Escalation    []Person      `json:"escalation,omitempty"`
	Rotas         []RotaLink    `json:"rotas,omitempty"` // places of the chain that whoever is on call holds
	CC            []Person      `json:"cc,omitempty"`
	Unresolved    []string      `json:"unresolved,omitempty"` // "owner ann@x: no such user; asked the deputy instead"
	Quorum        int           `json:"quorum"`
	QuorumBy      ByKind        `json:"quorum_by,omitempty"` // in place of Quorum, by class of action
	Solo          bool          `json:"solo,omitempty"`
	Channel       string        `json:"channel"` // Slack channel id
	Settle        time.Duration `json:"settle"`  // from a named cause to the request
	RemindAfter   time.Duration `json:"remind_after"`
	EscalateAfter time.Duration `json:"escalate_after"` // per link
	ExpireAfter   time.Duration `json:"expire_after"`
	ExecuteWithin time.Duration `json:"execute_within"`
	ObserveEvery  time.Duration `json:"observe_every"`
	PollEvery     time.Duration `json:"poll_every"` // state of a run that dw started
	RunTimeout    time.Duration `json:"run_timeout"`
	VerifyAfter   time.Duration `json:"verify_after"` // from the last step done to the re-check
	VerifyEvery   time.Duration `json:"verify_every"` // between attempts
	VerifyWithin  time.Duration `json:"verify_within"`
	Together      time.Duration `json:"together,omitempty"`       // failures on assets tied by lineage, this far apart, are one incident; 0 is DefaultTogether
	RecoverRuns   int           `json:"recover_runs,omitempty"`   // re-checks in a row that must be right before an incident ends by itself; 0 is 1
	PageService   string        `json:"page_service,omitempty"`   // of the pager; empty: none
	Page          string        `json:"page,omitempty"`           // ByItself, OnRequest or Never
	PageWait      time.Duration `json:"page_wait,omitempty"`      // for the diagnosis, before a page goes out without it
	TicketProject string        `json:"ticket_project,omitempty"` // of the tracker; empty: none
	TicketType    string        `json:"ticket_type,omitempty"`    // of issue
	Ticket        string        `json:"ticket,omitempty"`         // OnResolve, OnRequest or Never
	// TicketRequest is the type of a service request in place of TicketType,
	// TicketFields what a ticket of TicketProject has besides, by id or name, and
	// TicketMove what it is moved by, or to, when its incident is resolved.
	TicketRequest string            `json:"ticket_request,omitempty"`
	TicketFields  map[string]string `json:"ticket_fields,omitempty"`
	TicketMove    string            `json:"ticket_move,omitempty"`
	// Named says whom the file names, role by role, whatever Slack knows of them;
	// Operators hold credentials of dw or of an agent and never decide a policy
	// change.
	Named         []string `json:"named,omitempty"`
	OperatorNames []string `json:"operator_names,omitempty"`
	Operators     []Person `json:"operators,omitempty"`
	PolicyQuorum  int      `json:"policy_quorum,omitempty"` // humans other than the requester, for a policy change; 0 is 1
	Playbooks     []string `json:"playbooks,omitempty"`     // CAUSE/KEY, what dw may do by itself at L3
	Version       string   `json:"version"`                 // hex SHA-256 of the domain's policy
	// Held is what the file asks for and is not in force; filled when a policy is
	// read, never stored.
	Held []TermChange `json:"-"`
}
