package blocks

import (
	"fmt"
	"strings"
	"time"

	"dw/receipts"
	"dw/workflows"

	"github.com/slack-go/slack"
)

// HeldText says what a domain's configuration asks for and is not in force; empty
// where there is nothing.
func HeldText(p workflows.Policy) string {
	if len(p.Held) == 0 {
		return ""
	}
	return fmt.Sprintf("the configuration of %s says more than is in force (%s); it stays as it was until people approve it", p.Domain, workflows.TermsText(p.Held))
}

// heldLines are shown on cards and in answers.
func heldLines(v View) []line {
	var out []line
	for _, held := range v.Held {
		out = append(out, line{bold("Not in force: "), text(held + ".")})
	}
	return out
}

// Policies answers what is in force in each domain, who set it, and what its
// configuration says besides.
func Policies(all []workflows.DomainPolicy, command string) Message {
	if len(all) == 0 {
		return titled("Policies", rich("none", line{text("No domain is configured.")}))
	}
	items := []line{}
	for _, d := range all {
		p := d.Policy
		l := line{bold(p.Domain + " "), text(fmt.Sprintf("is at %s, %s", p.Level, d.SetBy))}
		if len(p.Playbooks) > 0 {
			l = append(l, text("; playbooks "+strings.Join(p.Playbooks, ", ")))
		}
		if d.Damaged {
			l = append(l, text(". What is in force cannot be read: it is at L1 at most until the database is restored"))
		}
		items = append(items, l)
		switch {
		case d.Waiting != "":
			items = append(items, line{text("   waiting for a decision: "), code(d.Waiting)})
		case len(p.Held) > 0:
			items = append(items, line{text("   not asked: "), code(command + " policy " + p.Domain + " ask")})
		}
		for _, t := range p.Held {
			items = append(items, line{text(fmt.Sprintf("   not in force: %s, now %s, in the configuration %s", t.Term, t.From, t.To))})
		}
	}
	return titled("What is in force", listCapped("policies", items)...)
}

// Record answers with the record of a domain: every number with the receipts it
// was counted from and the age of the newest.
func Record(r workflows.Record, v View) Message {
	items := recordLines(r, v.Now)
	if len(items) == 0 {
		return titled("Record of "+r.Domain, rich("none", line{text(fmt.Sprintf(
			"Nothing was proposed in %s, and nothing would have been, in the %d receipts so far. An empty record says nothing about how good dw would be.", r.Domain, r.Head))}))
	}
	foot := rich("foot", line{text(fmt.Sprintf("Counted from receipts 1 to %d of this dw, read ", r.Head)), at(r.At, v.Now, v.Zone)})
	return titled("Record of "+r.Domain, append(listCapped("record", items), foot)...)
}

// recordLines writes each class with its numbers; what never happened is left
// out, but for the rollbacks and failures that people look for.
func recordLines(r workflows.Record, now time.Time) []line {
	var out []line
	for _, c := range r.Classes {
		out = append(out, line{bold(c.Class)})
		for _, row := range []struct {
			what  string
			tally workflows.Tally
			shown bool
		}{
			{"proposed", c.Proposed, c.Proposed.Count > 0},
			{"approved unchanged", c.Approved, c.Proposed.Count > 0},
			{"done by itself", c.ByItself, c.Proposed.Count > 0},
			{"rejected", c.Rejected, c.Proposed.Count > 0},
			{"expired", c.Expired, c.Proposed.Count > 0},
			{"verified", c.Verified, c.Proposed.Count > 0},
			{"failed", c.Failed, c.Proposed.Count > 0},
			{"rolled back", c.RolledBack, c.Proposed.Count > 0},
			{"would have been proposed", c.WouldPropose, c.WouldPropose.Count > 0},
			{"of those incidents, resolved", c.WouldResolved, c.WouldPropose.Count > 0},
		} {
			if row.shown {
				out = append(out, line{text(fmt.Sprintf("   %s: %d%s", row.what, row.tally.Count, sourceText(row.tally, now)))})
			}
		}
		if s := c.ToFix; s.Count > 0 {
			out = append(out, spreadLine("from incident to approved fix", s, now))
		}
		if s := c.ToResolved; s.Count > 0 {
			out = append(out, spreadLine("from incident to resolved, without dw's proposal", s, now))
		}
	}
	return out
}

func spreadLine(what string, s workflows.Spread, now time.Time) line {
	return line{text(fmt.Sprintf("   %s: median %s, worst %s%s", what, s.Median.Round(time.Second), s.Worst.Round(time.Second), sourceText(s.Tally, now)))}
}

func sourceText(t workflows.Tally, now time.Time) string {
	if t.Count == 0 {
		return ""
	}
	return fmt.Sprintf(" (receipts %d to %d, newest %s old)", t.First, t.Last, now.Sub(t.Newest).Round(time.Minute))
}

// changeLines say what a policy change would put in force, and the record that a
// promotion is asked on.
func changeLines(p workflows.Proposal, v View) []line {
	var out []line
	if p.Change == nil {
		return nil
	}
	for _, t := range p.Change.Terms {
		out = append(out, line{bold(t.Term + ": "), text(t.From + " becomes " + t.To)})
	}
	if p.Change.Record == nil {
		return out
	}
	out = append(out, line{bold("On this record: "), text(fmt.Sprintf("counted by dw from receipts 1 to %d, inside the hash", p.Change.Record.Head))})
	lines := recordLines(*p.Change.Record, v.Now)
	if len(lines) == 0 {
		lines = []line{{text("   empty: nothing was proposed here yet, and nothing would have been")}}
	}
	if left := len(lines) - maxItems; left > 0 {
		lines = append(lines[:maxItems], line{text(fmt.Sprintf("   and %d more lines: record %s", left, p.Domain))})
	}
	return append(out, lines...)
}

// askerLine says who asks: a person, or an edited file in nobody's name.
func askerLine(p workflows.Proposal) line {
	if p.Proposer.Kind != receipts.ActorHuman {
		return line{bold("Asked by: "), text("an edit of the configuration, in nobody's name. The first who approves takes the request over, and others have to approve it as well")}
	}
	asker := workflows.Person{Team: p.Proposer.Team, User: p.Proposer.User, Name: p.Proposer.Name}
	return line{bold("Asked by: "), mention(asker), text(", who cannot decide it")}
}

func changeBlocks(p workflows.Proposal, v View) []slack.Block {
	lines := changeLines(p, v)
	if len(lines) == 0 {
		return nil
	}
	return []slack.Block{rich("terms", lines...)}
}
