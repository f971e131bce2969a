package checks

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ask runs a statement and refuses an answer that the row limit has cut: a part
// of the counts is no count.
func ask(ctx context.Context, q Querier, s *statement) (Rows, error) {
	var rows Rows
	var err error
	if shared, ok := q.(*seat); ok {
		rows, err = shared.ask(s)
	} else {
		rows, err = q.Select(ctx, s.String(), s.args...)
	}
	if err != nil {
		return Rows{}, err
	}
	if rows.Truncated {
		return Rows{}, &RefusedError{Guard: "row limit", Why: fmt.Sprintf("the answer has more than %d rows", len(rows.Values))}
	}
	return rows, nil
}

// counts asks for one row of n counts and keeps its SQL in the result.
func (r *runner) counts(s *statement, n int) ([]float64, error) {
	r.result.SQL = s.render()
	row, err := askOne(r.ctx, r.q, s, n)
	if err != nil {
		return nil, err
	}
	counts, err := toCounts(row)
	if err != nil {
		return nil, fmt.Errorf("read the counts: %w", err)
	}
	return counts, nil
}

// askOne runs a statement that answers exactly one row of n columns.
func askOne(ctx context.Context, q Querier, s *statement, n int) ([]any, error) {
	rows, err := ask(ctx, q, s)
	if err != nil {
		return nil, err
	}
	if len(rows.Values) != 1 || len(rows.Values[0]) != n {
		return nil, fmt.Errorf("expected one row of %d columns, got %d rows", n, len(rows.Values))
	}
	return rows.Values[0], nil
}

// toFloat reads a number that a database has answered.
func toFloat(value any) (float64, error) {
	switch v := value.(type) {
	case int64:
		return float64(v), nil
	case float64:
		return v, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case []byte:
		return toFloat(string(v))
	case string:
		number, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", v)
		}
		return number, nil
	case nil:
		return 0, fmt.Errorf("the answer is NULL, not a number")
	}
	return 0, fmt.Errorf("a %T is not a number", value)
}

// toCount reads a count; sum() over no rows answers NULL, which counts zero.
func toCount(value any) (float64, error) {
	if value == nil {
		return 0, nil
	}
	return toFloat(value)
}

// toText writes a value for a person, cut to 80 characters.
func toText(value any) string {
	var text string
	switch v := value.(type) {
	case nil:
		return "NULL"
	case time.Time:
		text = v.UTC().Format(time.RFC3339Nano)
	case []byte:
		text = fmt.Sprintf("%x", v)
	default:
		text = fmt.Sprint(v)
	}
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return text
}

// toCounts reads a row of counts.
func toCounts(row []any) ([]float64, error) {
	counts := make([]float64, len(row))
	for i, value := range row {
		n, err := toCount(value)
		if err != nil {
			return nil, err
		}
		counts[i] = n
	}
	return counts, nil
}

// roundTo rounds to a number of decimal places.
func roundTo(v float64, places int) float64 {
	scale := math.Pow10(places)
	return math.Round(v*scale) / scale
}
