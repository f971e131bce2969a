// Package blocks turns values of the domain into Slack's Block Kit, within
// Slack's limits and with every foreign text escaped. It reads no clock and no
// configuration: everything shown comes in.
package blocks

import (
	"strings"
	"time"

	"dw/lineage"
	"dw/workflows"

	"github.com/slack-go/slack"
)

// The action ids of buttons and the callback id of the modal.
const (
	ActionApprove     = "dw_approve"
	ActionReject      = "dw_reject"
	ActionRevoke      = "dw_revoke"
	ActionWithdraw    = "dw_withdraw"
	ActionRollBack    = "dw_roll_back"
	ActionRenew       = "dw_renew"
	ActionGiveUp      = "dw_give_up"
	ActionDone        = "dw_done"
	ActionUndone      = "dw_undone"
	ActionAcknowledge = "dw_ack"
	ActionPage        = "dw_page"
	ActionTicket      = "dw_ticket"
	ActionReal        = "dw_said_real"
	ActionExpected    = "dw_said_expected"
	ActionOneOff      = "dw_said_one_off"
	ActionNewLevel    = "dw_level_new"
	ActionOldLevel    = "dw_level_old"
	CallbackReject    = "dw_reject_reason"
	BlockReason       = "reason"
	ActionReason      = "reason_text"
)

// Message is what Slack is sent: the text of notifications and screen readers,
// and the blocks.
type Message struct {
	Text   string
	Blocks []slack.Block
}

// View is what cards need besides the incident and its proposals.
type View struct {
	Now   time.Time
	Zone  *time.Location // for times in the fallback text
	Owner workflows.Person
	// Unresolved says which configured approver was not found in Slack.
	Unresolved []string
	// Problem is shown on top, for example that Slack refused a channel.
	Problem string
	// CanPage and CanTicket say that a person may ask for the incident's page
	// or ticket.
	CanPage, CanTicket bool
	// Held says what configurations ask for and is not in force.
	Held []string
	// Stop is shown on every card while it is on.
	Stop workflows.Stop
}

// shortName is the part of an asset's id that people say.
func shortName(id lineage.AssetID) string {
	name := string(id)
	if _, path, ok := strings.Cut(name, "://"); ok {
		name = path
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 && i < len(name)-1 {
		name = name[i+1:]
	}
	return name
}

func userList(people []workflows.Person) line {
	var out line
	for i, p := range people {
		if i > 0 {
			out = append(out, text(", "))
		}
		out = append(out, mention(p))
	}
	return out
}
