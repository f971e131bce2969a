package receipts

import (
	"errors"
	"fmt"
	"regexp"
	"time"
)

// StatementType and PredicateType name the format inside each receipt: an
// in-toto Statement whose predicate is dw's receipt, version 1.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "urn:dw:receipt:v1"
)

// ErrDraft reports a draft that lacks what every receipt must say.
var ErrDraft = errors.New("incomplete receipt")

var (
	kindPattern     = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	digestPattern   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	instancePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// Draft is what a state change says about itself before it has a place in the
// log. Kind, Actor.Kind and At (any zone, stored in UTC) are required; Incident
// and Proposal are ids and may be empty; Body holds what belongs to the kind.
type Draft struct {
	Kind     string
	Incident string
	Proposal string
	Actor    Actor
	At       time.Time
	Subject  []Subject
	Body     Object

	// Redacted counts by rule what was taken out before the receipt was encoded;
	// a Redactor sets it.
	Redacted map[string]int
}

// Actor is who acted: Kind is human, agent or dw; Team and User are ids of the
// workspace and the person, Name is for display.
type Actor struct {
	Kind string
	Team string
	User string
	Name string
}

// Subject is an object the receipt is about: its Name and the SHA-256 of its
// content as 64 lower-case hex digits.
type Subject struct {
	Name   string
	Digest string
}

// CheckInstance returns an error unless name can name an instance of dw: 1 to
// 64 ASCII letters, digits, dots, underscores and hyphens, starting with a
// letter or digit.
func CheckInstance(name string) error {
	if !instancePattern.MatchString(name) {
		return fmt.Errorf("%w: instance name %q must be 1 to 64 letters, digits, '.', '_' or '-'", ErrDraft, name)
	}
	return nil
}

func (d Draft) validate() error {
	if !kindPattern.MatchString(d.Kind) {
		return fmt.Errorf("%w: kind %q is not lower-case words joined by dots", ErrDraft, d.Kind)
	}
	switch d.Actor.Kind {
	case ActorHuman, ActorAgent, ActorDW:
	default:
		return fmt.Errorf("%w: actor kind %q is not human, agent or dw", ErrDraft, d.Actor.Kind)
	}
	for _, s := range d.Subject {
		if s.Name == "" || !digestPattern.MatchString(s.Digest) {
			return fmt.Errorf("%w: subject %q needs a name and a SHA-256 digest in lower-case hex", ErrDraft, s.Name)
		}
	}
	return nil
}

// encode returns the canonical bytes of d at place seq of instance's log.
func (d Draft) encode(instance string, seq int64) ([]byte, error) {
	predicate := Object{
		"kind":     d.Kind,
		"incident": d.Incident,
		"proposal": d.Proposal,
		"actor":    d.Actor.encode(),
		"at":       d.At,
		"seq":      seq,
		"instance": instance,
		"body":     d.Body,
	}
	if len(d.Redacted) > 0 {
		redacted := Object{}
		for rule, n := range d.Redacted {
			redacted[rule] = n
		}
		predicate["redacted"] = redacted
	}
	return Canonical(Object{
		"_type":         StatementType,
		"subject":       encodeSubjects(d.Subject),
		"predicateType": PredicateType,
		"predicate":     predicate,
	})
}

func (a Actor) encode() Object {
	return Object{"kind": a.Kind, "team": a.Team, "user": a.User, "name": a.Name}
}

func encodeSubjects(subjects []Subject) []Value {
	out := make([]Value, 0, len(subjects))
	for _, s := range subjects {
		out = append(out, Object{"name": s.Name, "digest": Object{"sha256": s.Digest}})
	}
	return out
}
