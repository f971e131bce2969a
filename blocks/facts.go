package blocks

import (
	"strings"

	"dw/diagnosis"
	"dw/workflows"
)

// maxFact is how much of one fact's value a card shows; hashes are told apart by
// less.
const maxFact = 24

// readLine says what dw read of a step's target when it asked: the approval holds
// for these facts only. It is nil for a step that only reads, and after the end.
func readLine(p workflows.Proposal, n int, v View) line {
	if n >= len(p.Snapshot) || p.Plan[n].Kind == diagnosis.Verify || p.State == workflows.Verified {
		return nil
	}
	r := p.Snapshot[n]
	switch {
	case r.Mute:
		return nil
	case r.Unread != "":
		return line{bold("Not read: "), text(r.Unread + ". Before dw does this itself, it asks again.")}
	}
	said := make([]string, 0, len(r.Facts))
	for _, f := range r.Facts {
		value := f.Value
		switch {
		case value == "":
			value = "none"
		case len([]rune(value)) > maxFact:
			value = string([]rune(value)[:maxFact]) + ellipsis
		}
		said = append(said, f.Name+" "+value)
	}
	return line{text("Read from " + r.System + " at "), at(r.At, v.Now, v.Zone), text(": " + strings.Join(said, ", "))}
}
