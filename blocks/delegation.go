package blocks

import "dw/workflows"

// Delegations lists who stands in for whom, from when until when.
func Delegations(all []workflows.Delegation, v View) Message {
	if len(all) == 0 {
		return titled("Delegations", rich("none", line{text("Nobody stands in for anybody.")}))
	}
	items := []line{}
	for _, d := range all {
		where := "every domain of theirs"
		if d.Domain != "" {
			where = d.Domain
		}
		state := ", holds now"
		if !d.Holds(v.Now) {
			state = ", not yet"
		}
		items = append(items, line{
			code(d.ID), text(" "), mention(d.To), text(" stands in for "), mention(d.By), text(" in " + where + " from "),
			at(d.From, v.Now, v.Zone), text(" until "), at(d.Until, v.Now, v.Zone), text(state),
		})
	}
	return titled("Delegations", listCapped("delegations", items)...)
}
