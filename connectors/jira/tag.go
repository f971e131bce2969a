package jira

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
)

// property is the key of the entity property that holds a Tag.
const property = "dw.incident"

// Tag says what an issue is for. It is stored as an entity property, and as a
// short mark at the end of the description: Jira does not index the properties
// that no app declared, Data Center does not list them in a search, and a service
// request takes none when it is created.
type Tag struct {
	Incident string `json:"incident"`
	Target   string `json:"target"`
}

func (t Tag) check() error {
	if t.Incident == "" || t.Target == "" {
		return errors.New("jira: the incident and the target of a ticket are needed to find it again")
	}
	return nil
}

// Mark is the short form: "dw:" and 16 hexadecimal digits.
func (t Tag) Mark() string {
	sum := sha256.Sum256([]byte(t.Incident + "\x00" + t.Target))
	return "dw:" + hex.EncodeToString(sum[:8])
}

// line is the last paragraph of a description.
func (t Tag) line() Block {
	return Paragraph(Text("Opened by dw for incident "), Code(t.Incident), Text(" · "), Text(t.Mark()))
}

// on reports whether an issue carries the tag.
func (t Tag) on(i foundIssue) bool {
	var have Tag
	if json.Unmarshal(i.Properties[property], &have) == nil && have == t {
		return true
	}
	return strings.Contains(flat(i.Fields.Description), t.Mark())
}
