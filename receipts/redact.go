package receipts

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Rules of redaction, as receipts and the texts left behind name them.
const (
	RuleConfigured = "configured_secret" // a secret value of dw's own configuration
	RuleSlackToken = "slack_token"
	RuleAWSKey     = "aws_access_key"
	RuleJWT        = "jwt"
	RulePrivateKey = "private_key"
	RuleUserinfo   = "url_userinfo"
	RuleBearer     = "bearer_token"
)

// leastSecret is the length in bytes of the shortest configured value that is
// looked for: shorter ones would garble ordinary words.
const leastSecret = 6

// Redactor takes secrets out of text. It is safe for concurrent use; a nil one
// knows the patterns alone.
type Redactor struct{ known []string }

// NewRedactor returns a Redactor that knows these secret values besides the
// patterns; values under six bytes are left out.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		if len(s) >= leastSecret && !slices.Contains(r.known, s) {
			r.known = append(r.known, s)
		}
	}
	// The longest first: one secret may hold another.
	slices.SortFunc(r.known, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return r
}

// pattern is one rule. hints are literals one of which every match holds, so
// that most text is not searched by the expression.
type pattern struct {
	rule  string
	hints []string
	find  *regexp.Regexp
	put   string
}

const markStart = "[redacted:"

func mark(rule string) string { return markStart + rule + "]" }

var rules = []string{RuleConfigured, RuleSlackToken, RuleAWSKey, RuleJWT, RulePrivateKey, RuleUserinfo, RuleBearer}

var patterns = []pattern{
	{RulePrivateKey, []string{"PRIVATE"}, regexp.MustCompile(
		`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)|PRIVATE\+KEY\+[^\s"]+`), mark(RulePrivateKey)},
	{RuleSlackToken, []string{"xox", "xapp-"}, regexp.MustCompile(`\b(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{6,}`), mark(RuleSlackToken)},
	{RuleAWSKey, []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`), mark(RuleAWSKey)},
	{RuleJWT, []string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*`), mark(RuleJWT)},
	{RuleUserinfo, []string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#@"<>]+@`), "${1}" + mark(RuleUserinfo) + "@"},
	{RuleBearer, []string{"earer", "EARER"}, regexp.MustCompile(`(?i)\b(bearer[ \t]+)[A-Za-z0-9._~+/-]*[0-9][A-Za-z0-9._~+/-]*=*`), "${1}" + mark(RuleBearer)},
}

// Text returns text without the secrets in it, each replaced by
// "[redacted:RULE]", and how many each rule replaced; nil where none did.
func (r *Redactor) Text(text string) (string, map[string]int) {
	var found map[string]int
	count := func(rule string, n int) {
		if n > 0 {
			if found == nil {
				found = map[string]int{}
			}
			found[rule] += n
		}
	}
	if r != nil {
		for _, secret := range r.known {
			n := strings.Count(text, secret)
			if n > 0 {
				text = strings.ReplaceAll(text, secret, mark(RuleConfigured))
			}
			count(RuleConfigured, n)
		}
	}
	for _, p := range patterns {
		if !slices.ContainsFunc(p.hints, func(hint string) bool { return strings.Contains(text, hint) }) {
			continue
		}
		n := 0
		text = p.find.ReplaceAllStringFunc(text, func(match string) string {
			n++
			return p.find.ReplaceAllString(match, p.put)
		})
		count(p.rule, n)
	}
	return text, found
}

// Draft returns d without the secrets in its texts: ids, names and every string
// of the body but its keys. What each rule took out is counted in d.Redacted.
func (r *Redactor) Draft(d Draft) Draft {
	s := scrub{r: r, found: maps.Clone(d.Redacted)}
	d.Incident, d.Proposal = s.text(d.Incident), s.text(d.Proposal)
	d.Actor.Team, d.Actor.User, d.Actor.Name = s.text(d.Actor.Team), s.text(d.Actor.User), s.text(d.Actor.Name)
	d.Subject = slices.Clone(d.Subject)
	for n := range d.Subject {
		d.Subject[n].Name = s.text(d.Subject[n].Name)
	}
	if d.Body != nil {
		d.Body = s.object(d.Body, 0)
	}
	d.Redacted = s.found
	return d
}

// scrub walks one draft. It copies what it walks: a draft may share its values.
type scrub struct {
	r     *Redactor
	found map[string]int
}

// text counts the marks that stand in the cleaned text, so that what was taken out
// earlier on its way, as of a command that was typed, is recorded as well.
func (s *scrub) text(text string) string {
	text, _ = s.r.Text(text)
	if !strings.Contains(text, markStart) {
		return text
	}
	for _, rule := range rules {
		if n := strings.Count(text, mark(rule)); n > 0 {
			if s.found == nil {
				s.found = map[string]int{}
			}
			s.found[rule] += n
		}
	}
	return text
}

// value leaves what is nested too deep for a receipt to the encoder's refusal.
func (s *scrub) value(v Value, depth int) Value {
	if depth > maxDepth {
		return v
	}
	switch v := v.(type) {
	case string:
		return s.text(v)
	case FreeText:
		return FreeText(s.text(string(v)))
	case []string:
		out := make([]string, len(v))
		for n := range v {
			out[n] = s.text(v[n])
		}
		return out
	case []Value:
		out := make([]Value, len(v))
		for n := range v {
			out[n] = s.value(v[n], depth+1)
		}
		return out
	case Object:
		return s.object(v, depth)
	}
	return v
}

func (s *scrub) object(o Object, depth int) Object {
	out := make(Object, len(o))
	for key, v := range o {
		out[key] = s.value(v, depth+1)
	}
	return out
}
