package blocks

import (
	"fmt"
	"slices"
	"strings"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
	"dw/workflows"

	"github.com/slack-go/slack"
)

// maxItems is how many items an answer lists before it says how many are left.
const maxItems = 20

// Help lists the commands that this dw really has: the pager's and the
// tracker's only where one is configured.
func Help(command string, pager, tracker bool) Message {
	rows := [][2]string{
		{"status", "open incidents, what waits for a decision, how the checks stand"},
		{"checks", "every check with its last result and age"},
		{"check run NAME", "ask the warehouse now"},
		{"incidents", "open incidents"},
		{"incident ID", "one incident with its evidence"},
		{"history INCIDENT, history NAME", "incidents like it, or of that asset: when, why, what ended them"},
		{"explain NAME", "what an asset is, where it comes from, who owns it, how its checks stand"},
		{"blast NAME", "who is harmed first if it is wrong, and when"},
		{"owner NAME, fresh NAME, sla NAME", "who owns it, whether it is fresh, by when it must be right"},
		{"trace NAME", "what feeds it and what it feeds"},
		{"search TEXT", "assets of nearly this name, or with it in a column or description"},
		{"approvals", "what waits for whom, until when"},
		{"receipts [INCIDENT]", "the last receipts"},
		{"verify", "check the receipts' chain now"},
		{"stop [REASON]", "nothing new starts from now on, for anybody who is listed"},
		{"resume [REASON]", "ask the others to lift the stop"},
		{"policy [DOMAIN]", "the level and policy in force, who set it, and what the configuration says besides"},
		{"policy DOMAIN ask [REASON]", "ask the others for what the configuration says besides"},
		{"level DOMAIN LEVEL [REASON]", "lower a level at once, or ask the others to raise it by one"},
		{"record DOMAIN", "what dw proposed or would have, and what came of it"},
		{"delegate @PERSON [DOMAIN] [from WHEN] until WHEN", "somebody stands in for you; WHEN is now, 18:00, today, tomorrow 9:00, 2026-12-24 or 2026-12-24 18:00, in your time zone"},
		{"delegations", "who stands in for whom, and until when"},
		{"delegations revoke ID", "end one of yours"},
	}
	if pager {
		rows = append(rows, [2]string{"page INCIDENT", "page who is on call"})
	}
	if tracker {
		rows = append(rows, [2]string{"ticket INCIDENT [PROJECT]", "open the incident's ticket"})
	}
	items := make([]line, len(rows))
	for i, row := range rows {
		items[i] = line{code(command + " " + row[0]), text(" " + row[1])}
	}
	return titled("What "+command+" answers", list("help", items...))
}

// Status is the short answer to "how do we stand?".
func Status(open []workflows.Incident, waiting []workflows.Proposal, results []checks.Result, v View) Message {
	counts := map[checks.Status]int{}
	for _, r := range results {
		counts[r.Status]++
	}
	words := []string{}
	for _, s := range []checks.Status{checks.Pass, checks.Warn, checks.Fail, checks.Error, checks.Late, checks.Learning, checks.Skipped} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	if len(words) == 0 {
		words = []string{"no check has run yet"}
	}
	lines := []line{
		{bold("Open incidents: "), text(fmt.Sprint(len(open)))},
		{bold("Waiting for a decision: "), text(fmt.Sprint(len(waiting)))},
		{bold("Checks: "), text(strings.Join(words, ", "))},
	}
	lines = append(lines, heldLines(v)...)
	if v.Stop.On {
		lines = append([]line{stopLine(v)}, lines...)
	}
	blocks := []slack.Block{rich("status", lines...)}
	if len(open) > 0 {
		blocks = append(blocks, incidentList(open, v))
	}
	return titled("Status", blocks...)
}

// Incidents lists incidents.
func Incidents(open []workflows.Incident, v View) Message {
	if len(open) == 0 {
		return titled("Incidents", rich("none", line{text("No incident is open.")}))
	}
	return titled("Incidents", incidentList(open, v))
}

func incidentList(incidents []workflows.Incident, v View) slack.Block {
	items := []line{}
	for n, i := range incidents {
		if n == maxItems {
			items = append(items, line{text(fmt.Sprintf("and %d more", len(incidents)-n))})
			break
		}
		items = append(items, line{code(i.ID), text(" " + headline(i) + " · " + string(i.State) + " · since "), at(i.Onset, v.Now, v.Zone)})
	}
	return list("incidents", items...)
}

// Evidence is the answer to "incident ID": the card's facts and the evidence
// behind them, each with its source and time.
func Evidence(i workflows.Incident, proposals []workflows.Proposal, v View) Message {
	card := IncidentCard(i, proposals, v)
	blocks := []slack.Block{rich("facts", factLines(i, proposals, v)...)}
	if i.Diagnosis != nil {
		items := []line{}
		for _, e := range allEvidence(*i.Diagnosis) {
			items = append(items, line{text(e.What + " "), code(e.Value), text(" · " + e.Source + ", "), at(e.At, v.Now, v.Zone)})
		}
		for _, r := range i.Diagnosis.Rejected {
			items = append(items, line{text("Ruled out: " + r.Title + ", because " + r.Disproof)})
		}
		for _, u := range i.Diagnosis.Unknown {
			items = append(items, line{text("Not known: " + u)})
		}
		if len(items) > maxItems {
			items = append(items[:maxItems], line{text(fmt.Sprintf("and %d more", len(items)-maxItems))})
		}
		if len(items) > 0 {
			blocks = append(blocks, list("evidence", items...))
		}
	}
	m := titled("Incident "+i.ID, blocks...)
	m.Text = card.Text
	return m
}

// allEvidence is that of the best cause first, then the rest, each once.
func allEvidence(d diagnosis.Diagnosis) []diagnosis.Evidence {
	top, _ := d.Top()
	out := slices.Clone(top.Evidence)
	for _, e := range d.Evidence {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// Checks lists every check with its last result.
func Checks(specs []string, results map[string]checks.Result, v View) Message {
	if len(specs) == 0 {
		return titled("Checks", rich("none", line{text("No check is configured.")}))
	}
	items := []line{}
	for n, name := range specs {
		if n == 2*maxItems {
			items = append(items, line{text(fmt.Sprintf("and %d more", len(specs)-n))})
			break
		}
		r, ok := results[name]
		if !ok {
			items = append(items, line{code(name), text(" has not run yet")})
			continue
		}
		items = append(items, resultLine(r, v))
	}
	return titled("Checks", list("checks", items...))
}

// Result is the answer to "check run NAME".
func Result(r checks.Result, v View) Message {
	blocks := []slack.Block{rich("result", resultLine(r, v))}
	if r.SQL != "" {
		blocks = append(blocks, preformatted("sql", r.SQL, maxDiff))
	}
	return titled("Check "+r.Check, blocks...)
}

func resultLine(r checks.Result, v View) line {
	said := r.Message
	if r.Problem != "" {
		said += " " + r.Problem
	}
	return line{bold(string(r.Status) + " "), code(r.Check), text(" " + said + " · "), at(r.At, v.Now, v.Zone)}
}

// Blast shows who is harmed first, and the rest by time of harm.
func Blast(b lineage.BlastRadius, v View) Message {
	blocks := []slack.Block{rich("line", line{text(lineage.OneLine(b, v.Now))})}
	items := []line{}
	for _, c := range b.Consumers {
		item := line{code(c.Name), text(" (" + string(c.Kind) + ") ")}
		if when, ok := c.HarmAt(); ok {
			item = append(item, text("reads "), at(when, v.Now, v.Zone))
		} else {
			item = append(item, text("no schedule known"))
		}
		if c.Owner != "" {
			item = append(item, text(" · owner "+c.Owner))
		}
		items = append(items, item)
	}
	return titled("Blast radius of "+b.Name, append(blocks, listCapped("consumers", items)...)...)
}

// Approvals lists what waits for whom, and until when.
func Approvals(waiting []workflows.Proposal, v View) Message {
	if len(waiting) == 0 {
		return titled("Approvals", rich("none", line{text("Nothing waits for a decision.")}))
	}
	items := []line{}
	for _, p := range waiting {
		items = append(items, append(line{code(p.ID), text(" " + p.Title + " · ")}, append(stateLine(p, v), append(line{text(" · ")}, waitingLine(p, v)...)...)...))
	}
	return titled("Approvals", listCapped("approvals", items)...)
}

// Receipt is one line of the receipts' list.
type Receipt struct {
	Seq      int64
	Kind     string
	Incident string
	Proposal string
	Who      string
	At       string // as stored, RFC 3339 UTC
	Chain    string // hex
}

// Receipts lists receipts, newest last.
func Receipts(rows []Receipt) Message {
	if len(rows) == 0 {
		return titled("Receipts", rich("none", line{text("No receipt matches.")}))
	}
	items := []line{}
	for _, r := range rows {
		items = append(items, line{code(fmt.Sprint(r.Seq)), text(" " + r.Kind + " " + r.Incident + " " + r.Proposal + " · " + r.Who + " · " + r.At + " · chain "), code(cut(r.Chain, 9))})
	}
	return titled("Receipts", listCapped("receipts", items)...)
}

// Verified is the answer to "verify".
func Verified(r receipts.Report) Message {
	return titled("Receipts", rich("verify", line{text(r.String())}))
}

func listCapped(id string, items []line) []slack.Block {
	if len(items) == 0 {
		return nil
	}
	if left := len(items) - 2*maxItems; left > 0 {
		items = append(items[:2*maxItems], line{text(fmt.Sprintf("and %d more", left))})
	}
	return []slack.Block{list(id, items...)}
}

func titled(title string, blocks ...slack.Block) Message {
	return Message{Text: escape(clean(title, 300)), Blocks: fit(append([]slack.Block{slack.NewHeaderBlock(plain(title, maxHeader))}, blocks...))}
}
