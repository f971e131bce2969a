package picture

import (
	"fmt"
	"strings"
)

// colours of a box by its role: fill and border, dark enough on white for people
// who do not tell red from green; the first harm has a thick border besides.
func colours(role string) (fill, border string) {
	switch role {
	case RoleSubject:
		return "#fde68a", "#92400e"
	case RoleFirst:
		return "#fecaca", "#991b1b"
	case RolePath:
		return "#fef3c7", "#92400e"
	case RoleMore:
		return "#ffffff", "#6b7280"
	}
	return "#e5e7eb", "#374151"
}

// DOT writes the picture in Graphviz' language. Names stand in quoted strings only.
func (p Picture) DOT() string {
	var out strings.Builder
	out.WriteString("digraph {\n  rankdir=LR;\n  bgcolor=\"white\";\n  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=12, margin=\"0.3,0.1\"];\n  edge [color=\"#6b7280\"];\n")
	number := p.numbers()
	for i, b := range p.Boxes {
		fill, border := colours(b.Role)
		width := 1
		if b.Role == RoleFirst || b.Role == RoleSubject {
			width = 3
		}
		fmt.Fprintf(&out, "  n%d [label=\"%s\", fillcolor=\"%s\", color=\"%s\", penwidth=%d];\n", i, dotText(b.Lines), fill, border, width)
	}
	for _, a := range p.Arrows {
		fmt.Fprintf(&out, "  n%d -> n%d [%s];\n", number[a.From], number[a.To], dotStyle(a))
	}
	out.WriteString("}\n")
	return out.String()
}

func dotStyle(a Arrow) string {
	style := "penwidth=1"
	if a.Main {
		style = "color=\"#991b1b\", penwidth=2.5"
	}
	if a.Skips > 0 {
		style += fmt.Sprintf(", style=dashed, label=\"%d between\"", a.Skips)
	}
	return style
}

func (p Picture) numbers() map[string]int {
	number := make(map[string]int, len(p.Boxes))
	for i, b := range p.Boxes {
		number[b.ID] = i
	}
	return number
}

// dotText is the inside of a quoted label: Graphviz reads backslashes (\N is the
// node's name) and, outside of HTML labels, entities.
func dotText(lines []string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(line)
	}
	return strings.Join(escaped, `\n`)
}

// Mermaid writes the picture as a flowchart for a page that draws Mermaid.
func (p Picture) Mermaid() string {
	var out strings.Builder
	out.WriteString("flowchart LR\n")
	number := p.numbers()
	for i, b := range p.Boxes {
		fill, border := colours(b.Role)
		fmt.Fprintf(&out, "  n%d[\"%s\"]\n  style n%d fill:%s,stroke:%s\n", i, mermaidText(b.Lines), i, fill, border)
	}
	for _, a := range p.Arrows {
		arrow := "-->"
		if a.Main {
			arrow = "==>"
		}
		if a.Skips > 0 {
			arrow = fmt.Sprintf("-. %d between .->", a.Skips)
		}
		fmt.Fprintf(&out, "  n%d %s n%d\n", number[a.From], arrow, number[a.To])
	}
	return out.String()
}

// mermaidText writes whatever Mermaid or HTML could read as the character's number.
func mermaidText(lines []string) string {
	var out strings.Builder
	for i, line := range lines {
		if i > 0 {
			out.WriteString("<br/>")
		}
		for _, r := range line {
			if strings.ContainsRune("#\"'`<>&;[](){}|\\", r) {
				fmt.Fprintf(&out, "#%d;", r)
				continue
			}
			out.WriteRune(r)
		}
	}
	return out.String()
}
