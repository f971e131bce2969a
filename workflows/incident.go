package workflows

import (
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

// IncidentState is where an incident stands.
type IncidentState string

// The states of an incident. Resolved is final.
const (
	Open         IncidentState = "open"
	Acknowledged IncidentState = "acknowledged"
	Mitigating   IncidentState = "mitigating" // an approved proposal is being carried out
	Verifying    IncidentState = "verifying"  // every step is done, the numbers are checked again
	Resolved     IncidentState = "resolved"
)

// Signal is a failed result of one check, with how often it came.
type Signal struct {
	Check  string        `json:"check"`
	First  time.Time     `json:"first"`
	Last   time.Time     `json:"last"`
	Count  int           `json:"count"`
	Result checks.Result `json:"result"` // the newest that failed
	Passed time.Time     `json:"passed"` // when it passed again, zero while it fails
}

// HarmCount is the number that an asset's harm query answered.
type HarmCount struct {
	Asset  lineage.AssetID `json:"asset"`
	Count  int64           `json:"count"`
	Unit   string          `json:"unit"`
	Source string          `json:"source"`
	At     time.Time       `json:"at"`
}

// Note is one line of an incident's history; it stands in the Slack thread.
type Note struct {
	At   time.Time `json:"at"`
	Who  string    `json:"who"` // "dw" or a Slack user id
	Text string    `json:"text"`
}

// MessageRef is where a Slack message stands; TS is a string key, never a number.
type MessageRef struct {
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// Verification is the outcome of checking the numbers again.
type Verification struct {
	At      time.Time       `json:"at"`
	OK      bool            `json:"ok"`
	Results []checks.Result `json:"results"` // one per check and bucket asked
	Problem string          `json:"problem,omitempty"`
}

// Incident is a group of signals with one suspected subject.
type Incident struct {
	ID           string               `json:"id"`
	Domain       string               `json:"domain"`
	Subject      lineage.AssetID      `json:"subject"`
	Channel      string               `json:"channel"` // Slack channel id of the domain when opened
	State        IncidentState        `json:"state"`
	OpenedAt     time.Time            `json:"opened_at"`
	UpdatedAt    time.Time            `json:"updated_at"`
	ResolvedAt   time.Time            `json:"resolved_at"`
	Onset        time.Time            `json:"onset"` // zero if unknown
	Signals      []Signal             `json:"signals"`
	Diagnosis    *diagnosis.Diagnosis `json:"diagnosis,omitempty"`
	Blast        *lineage.BlastRadius `json:"blast,omitempty"`
	Harm         *HarmCount           `json:"harm,omitempty"`
	Level        Level                `json:"level"` // the domain's level when last diagnosed
	WouldPropose []string             `json:"would_propose,omitempty"`
	Proposals    []string             `json:"proposals,omitempty"`
	Notes        []Note               `json:"notes"`
	Verification *Verification        `json:"verification,omitempty"`
	VerifyFrom   time.Time            `json:"verify_from"`           // when verifying began, zero before
	Undo         []string             `json:"undo,omitempty"`        // set when resolved: how to take back what was done
	MergedInto   string               `json:"merged_into,omitempty"` // the incident of the same cause that this one joined
	RightRuns    int                  `json:"right_runs,omitempty"`  // re-checks in a row that found everything right, without a repair
	Card         MessageRef           `json:"card"`
	AckedBy      Person               `json:"acked_by"`
	Page         Reference            `json:"page"`
	Ticket       Reference            `json:"ticket"`
	Said         []Said               `json:"said,omitempty"`    // of what the detector found
	Levels       []LevelQuestion      `json:"levels,omitempty"`  // that people were asked about
	Errands      []Errand             `json:"errands,omitempty"` // to the pager and the tracker
	Rev          int64                `json:"rev"`               // compare-and-swap revision, 0 before the first write
}
