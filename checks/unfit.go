package checks

import "fmt"

// unfitError says that the rows cannot answer the question: there are none, or
// they do not hold what the check takes them for. It is never a pass.
type unfitError struct {
	what string
	do   string // advice
}

func (e *unfitError) Error() string { return e.what }

func unfit(do, format string, args ...any) error {
	return &unfitError{what: fmt.Sprintf(format, args...), do: do}
}

// emptyTable says that there is nothing to judge.
func emptyTable(t target) error {
	return unfit("see why no row is loaded, or switch the check off until one is", "table %s is empty, so there is nothing to judge", t.name)
}
