package signals

import (
	"encoding/json"
	"strings"
)

// loose is a text that some versions of a tool write as a number, a boolean, or
// an object that is of no interest here.
type loose string

// UnmarshalJSON is for encoding/json. null, lists and objects are "".
func (t *loose) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		return json.Unmarshal(text, (*string)(t))
	case 'n', '{', '[':
		*t = ""
	default:
		*t = loose(text)
	}
	return nil
}

// listed is a list of texts, of which some tools write a single one as a text.
type listed []string

// UnmarshalJSON is for encoding/json. Anything but texts is passed over.
func (l *listed) UnmarshalJSON(text []byte) error {
	*l = nil
	var one string
	if json.Unmarshal(text, &one) == nil {
		for part := range strings.SplitSeq(one, ",") {
			*l = append(*l, strings.TrimSpace(part))
		}
		return nil
	}
	var many []loose
	if json.Unmarshal(text, &many) == nil {
		for _, m := range many {
			*l = append(*l, string(m))
		}
	}
	return nil
}

// dotted joins the parts of a relation's name that are there: database, schema,
// table.
func dotted(parts ...string) string {
	var there []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, ".")
}

// labelNames are the labels and tags that name an asset, the surest first.
func labelNames() []string { return []string{"dw_asset", "asset", "table", "dataset", "topic"} }
