package store

import (
	"context"
	"fmt"

	"dw/checks"
)

// LastResult returns the newest result of a check, and false before the first.
func (r *reader) LastResult(ctx context.Context, check string) (checks.Result, bool, error) {
	last, found, err := firstDoc[checks.Result](ctx, r, "result_last", check)
	if err != nil {
		return last, false, fmt.Errorf("load the last result of check %s: %w", check, err)
	}
	return last, found, nil
}

// LastAnswer returns the newest result of a check that is neither error nor
// skipped, and false where there is none.
func (r *reader) LastAnswer(ctx context.Context, check string) (checks.Result, bool, error) {
	last, found, err := firstDoc[checks.Result](ctx, r, "result_last_answer", check, string(checks.Error), string(checks.Skipped))
	if err != nil {
		return last, false, fmt.Errorf("load the last answer of check %s: %w", check, err)
	}
	return last, found, nil
}

// LastResults returns the newest result of every check, ordered by its name.
func (r *reader) LastResults(ctx context.Context) ([]checks.Result, error) {
	list, err := listDocs[checks.Result](ctx, r, "result_last_of_every_check")
	if err != nil {
		return nil, fmt.Errorf("list the last results: %w", err)
	}
	return list, nil
}

// PutResult stores one result and drops the check's oldest beyond the cap.
func (t *writer) PutResult(ctx context.Context, r checks.Result) error {
	doc, err := encodeDoc(r)
	if err != nil {
		return fmt.Errorf("store result of check %s: %w", r.Check, t.fail(err))
	}
	if _, err := t.exec(ctx, "result_insert", r.Check, toMicros(r.At), string(r.Status), doc); err != nil {
		return fmt.Errorf("store result of check %s: %w", r.Check, err)
	}
	if _, err := t.exec(ctx, "result_trim", r.Check, t.db.opts.KeepResults); err != nil {
		return fmt.Errorf("trim results of check %s: %w", r.Check, err)
	}
	return nil
}
