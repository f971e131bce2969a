package blocks

import "dw/workflows"

// authorLines say who made the changes that a proposal answers and does not
// count, or that this was not checked and why.
func authorLines(p workflows.Proposal) []line {
	if len(p.Authors) == 0 {
		return []line{{bold("Authorship not checked: "), text("no change event is among the evidence")}}
	}
	var lines []line
	for _, a := range p.Authors {
		switch why := a.Unchecked(); {
		case why != "":
			lines = append(lines, line{bold("Authorship not checked: "), text(why)})
		case p.Solo:
			lines = append(lines, line{bold("Made change " + a.Change + ": "), mention(a.Person), text(", who counts all the same in solo mode")})
		default:
			lines = append(lines, line{bold("Made change " + a.Change + ", does not count: "), mention(a.Person)})
		}
	}
	return lines
}
