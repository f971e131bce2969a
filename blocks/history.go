package blocks

import (
	"fmt"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"dw/workflows"
)

// History lists past incidents of an asset, or like one, with what ended them. The
// receipts of each are asked for by its id.
func History(h workflows.History, v View) Message {
	if len(h.Past) == 0 {
		return titled("History of "+h.Of, rich("none", line{text("No incident like " + h.Of + " is known.")}))
	}
	items := []line{}
	for _, p := range h.Past {
		items = append(items, pastLine(p, v))
	}
	if left := h.All - len(h.Past); left > 0 {
		items = append(items, line{text(fmt.Sprintf("and %d more", left))})
	}
	blocks := []slack.Block{}
	if before := h.Before(v.Zone); before != "" {
		blocks = append(blocks, rich("before", line{text(strings.ToUpper(before[:1]) + before[1:] + ".")}))
	}
	blocks = append(blocks, list("history", items...), rich("receipts", line{text("The receipts of one: "), code("receipts INCIDENT"), text(".")}))
	return titled("History of "+h.Of, blocks...)
}

func pastLine(p workflows.Past, v View) line {
	why := "no cause named"
	if p.Title != "" {
		why = strings.TrimSpace(p.Title + " " + segmentText(p.Segment))
	}
	out := line{code(p.ID), text(" " + shortName(p.Subject) + " · "), at(orOpened(p), v.Now, v.Zone), text(" · " + why + " · " + p.Ended())}
	if p.State == workflows.Resolved {
		out = append(out, text(" · took "+p.Took.Round(time.Minute).String()))
	}
	return append(out, text(" · same "+strings.Join(p.Same, ", ")))
}

func orOpened(p workflows.Past) time.Time {
	if p.Onset.IsZero() {
		return p.OpenedAt
	}
	return p.Onset
}
