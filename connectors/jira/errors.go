package jira

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// RefusedError says that Jira answered no, so that nothing was done.
type RefusedError struct {
	Call    string            // "jira: create issue in OPS"
	Status  int               // of HTTP
	Said    string            // Jira's words, cleaned and cut
	Fields  map[string]string // Jira's words for each field
	Do      string            // what a person can do about it
	RetryAt time.Time         // after a 429: when to try again; else zero
	Err     error
}

// Error names the call, Jira's words and the advice.
func (e *RefusedError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: refused with status %d %s", e.Call, e.Status, http.StatusText(e.Status))
	if e.Said != "" {
		text.WriteString(": " + e.Said)
	}
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		fmt.Fprintf(&text, "; field %s: %s", field, e.Fields[field])
	}
	if e.Do != "" {
		text.WriteString(". " + e.Do)
	}
	return text.String()
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// DeletedError says that an issue that once was is not there for dw.
type DeletedError struct {
	Call string
	Key  string
	Said string
}

// Error names the issue and says what may have become of it.
func (e *DeletedError) Error() string {
	return fmt.Sprintf("%s: issue %s was deleted, or the account of dw may no longer see it (%s); nothing was done. Restore it or give the account Browse Projects, or open a new ticket", e.Call, e.Key, e.Said)
}

// UnknownError says that something that was named is not there for dw.
type UnknownError struct {
	Call string
	Kind string   // "project", "issue type", "service desk", "request type"
	Name string   // as it was asked for
	Near []string // names that are there, the nearest first
}

// Error names the thing and what is there instead.
func (e *UnknownError) Error() string {
	text := fmt.Sprintf("%s: there is no %s %q that the account of dw can use; nothing was created", e.Call, e.Kind, e.Name)
	if len(e.Near) == 0 {
		return text + fmt.Sprintf(". It sees none at all: ask the Jira admin whether the account and its token are still valid and may use a %s", e.Kind)
	}
	return text + ". Did you mean " + strings.Join(e.Near, ", ") + "?"
}

// FieldsError says which fields stand against a ticket. It comes before anything
// is created.
type FieldsError struct {
	Call    string
	Missing []string // required, without a value or default: "Severity (customfield_10042; one of: High, Low)"
	Wrong   []string // with a value that cannot be set, and why
}

// Error names each field.
func (e *FieldsError) Error() string {
	text := e.Call + ": nothing was created"
	if len(e.Missing) > 0 {
		text += "; required and without a value: " + strings.Join(e.Missing, ", ")
	}
	if len(e.Wrong) > 0 {
		text += "; cannot be set: " + strings.Join(e.Wrong, ", ")
	}
	return text + ". Set the fields in the domain's ticket settings"
}

// TransitionError says that an issue cannot be moved as asked.
type TransitionError struct {
	Key      string
	From     string   // its status now
	To       string   // as it was asked for
	Possible []string // "Resolve (to Done)"
	Why      string
}

// Error names the moves that are possible.
func (e *TransitionError) Error() string {
	possible := "none for the account of dw"
	if len(e.Possible) > 0 {
		possible = strings.Join(e.Possible, ", ")
	}
	return fmt.Sprintf("jira: move %s from %s to %q: %s; possible: %s", e.Key, e.From, e.To, e.Why, possible)
}
