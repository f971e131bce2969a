package blocks

import (
	"fmt"

	"dw/lineage"
)

// Explain shows what dw knows of an asset, each line with source and age.
func Explain(e lineage.Explanation) Message {
	return titled(e.Asset.Name, listCapped("explain", sourcedLines(e.Lines()))...)
}

// Answer shows the answer to one question about an asset. question is what was
// asked, as the title begins: "Owner".
func Answer(question string, a lineage.Answer) Message {
	return titled(question+" of "+a.Name, listCapped("answer", sourcedLines(a.Lines))...)
}

func sourcedLines(lines []lineage.Line) []line {
	items := []line{}
	for _, l := range lines {
		item := line{bold(l.Label + ": "), text(l.Value)}
		if from := l.Sourced(); from != "" {
			item = append(item, text(" · "+from))
		}
		items = append(items, item)
	}
	return items
}

// Trace shows what feeds an asset and what it feeds, nearest first, each step with
// the source of its edge and the age of that.
func Trace(name string, up, down []lineage.Step, v View) Message {
	items := []line{{bold(fmt.Sprintf("fed by %d: ", len(up)))}}
	items = append(items, stepLines(up, v)...)
	items = append(items, line{bold(fmt.Sprintf("feeds %d: ", len(down)))})
	return titled("Trace of "+name, listCapped("trace", append(items, stepLines(down, v)...))...)
}

func stepLines(steps []lineage.Step, v View) []line {
	var items []line
	for _, s := range steps {
		from := lineage.Line{Source: s.Via.Seen.Source, Age: s.Via.Seen.Age(v.Now), Old: s.Via.Seen.Old(v.Now)}
		items = append(items, line{text(fmt.Sprintf("%d ", s.Depth)), code(string(s.Asset)), text(" · " + from.Sourced())})
	}
	return items
}

// Found shows what a search found, the best first.
func Found(asked string, found []lineage.Found) Message {
	if len(found) == 0 {
		return titled("Search", rich("none", line{text("Nothing is called "), code(asked), text(", or nearly so, and no description or column has it.")}))
	}
	items := []line{}
	for _, f := range found {
		items = append(items, line{code(f.Name), text(fmt.Sprintf(" (%s) ", f.Kind)), code(string(f.Asset)), text(" · found by " + f.Where)})
	}
	return titled("Search", listCapped("search", items)...)
}
