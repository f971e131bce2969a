package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"dw/checks"
)

// How long a history is kept: its spans, and a history that nothing asks for any
// more, as after a check's condition was changed.
const (
	keepSpans     = 400 * 24 * time.Hour
	keepHistories = 90 * 24 * time.Hour
)

// History returns what is kept of a history from an instant on; Now is left to the
// caller.
func (db *DB) History(ctx context.Context, h checks.History, from time.Time) (kept checks.Kept, err error) {
	err = db.viewOwn(ctx, func(r *reader) error {
		if err := r.scan(ctx, "history_get", func(rows *sql.Rows) error { return scanReach(rows, &kept) }, h.Key()); err != nil {
			return err
		}
		kept.Spans = map[time.Time]checks.KeptSpan{}
		return r.scan(ctx, "history_spans", func(rows *sql.Rows) error { return scanSpan(rows, kept.Spans) }, h.Key(), toMicros(from))
	})
	if err != nil {
		return checks.Kept{}, fmt.Errorf("load the history of table %s: %w", h.Table, err)
	}
	return kept, nil
}

func scanReach(rows *sql.Rows, kept *checks.Kept) error {
	var since, until int64
	err := rows.Scan(&since, &until)
	kept.Since, kept.Until = fromMicros(since), fromMicros(until)
	return err
}

func scanSpan(rows *sql.Rows, into map[time.Time]checks.KeptSpan) error {
	var s checks.KeptSpan
	var start int64
	var seen []byte
	if err := rows.Scan(&start, &s.Value, &s.Rows, &seen); err != nil {
		return err
	}
	s.Start = fromMicros(start)
	if err := json.Unmarshal(seen, &s.Seen); err != nil {
		return fmt.Errorf("decode how a span grew: %w", err)
	}
	into[s.Start] = s
	return nil
}

// KeepHistory puts spans that were read at a time in place of those kept with the
// same start, unless those were read later, and notes that the history was read up
// to an instant. Spans older than 400 days go, and histories that were not read for
// 90.
func (db *DB) KeepHistory(ctx context.Context, h checks.History, spans []checks.KeptSpan, until, now time.Time) error {
	err := db.update(ctx, func(t *writer) error {
		doc, err := encodeDoc(h)
		if err != nil {
			return t.fail(err)
		}
		if _, err := t.exec(ctx, "history_put", h.Key(), toMicros(now), toMicros(until), toMicros(now), doc); err != nil {
			return err
		}
		for _, s := range spans {
			if err := t.putSpan(ctx, h.Key(), s, now); err != nil {
				return err
			}
		}
		return t.trimHistories(ctx, h.Key(), now)
	})
	if err != nil {
		return fmt.Errorf("store the history of table %s: %w", h.Table, err)
	}
	return nil
}

func (t *writer) putSpan(ctx context.Context, key string, s checks.KeptSpan, now time.Time) error {
	if s.Seen == nil {
		s.Seen = []checks.Sighting{}
	}
	seen, err := encodeDoc(s.Seen)
	if err != nil {
		return t.fail(err)
	}
	_, err = t.exec(ctx, "history_span_put", key, toMicros(s.Start), s.Value, s.Rows, toMicros(now), seen)
	return err
}

func (t *writer) trimHistories(ctx context.Context, key string, now time.Time) error {
	if _, err := t.exec(ctx, "history_spans_trim", key, toMicros(now.Add(-keepSpans))); err != nil {
		return err
	}
	for _, query := range []string{"history_spans_forget", "history_forget"} {
		if _, err := t.exec(ctx, query, toMicros(now.Add(-keepHistories))); err != nil {
			return err
		}
	}
	return nil
}

// Answers lists what people said of a check's verdicts, oldest first.
func (r *reader) Answers(ctx context.Context, check string) ([]checks.Answer, error) {
	list, err := listDocs[checks.Answer](ctx, r, "answer_list", check)
	if err != nil {
		return nil, fmt.Errorf("list what people said of check %s: %w", check, err)
	}
	return list, nil
}

// PutAnswer stores what one person said, in place of what stands there by the same
// id.
func (t *writer) PutAnswer(ctx context.Context, id string, a checks.Answer) error {
	doc, err := encodeDoc(a)
	if err != nil {
		return fmt.Errorf("store what was said of check %s: %w", a.Check, t.fail(err))
	}
	if _, err := t.exec(ctx, "answer_put", id, a.Check, toMicros(a.At), doc); err != nil {
		return fmt.Errorf("store what was said of check %s: %w", a.Check, err)
	}
	return nil
}
