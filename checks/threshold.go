package checks

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Threshold says which values pass. The zero Threshold is unset and passes all.
type Threshold struct {
	Op      string  // ">", ">=", "<", "<=", "=", "!=", "between", or "" when unset
	Low     float64 // the bound, or the lower one of between
	High    float64 // the upper bound of between, which passes too
	Percent bool    // the value judged is a percentage
}

// ParseThreshold reads "> 0", ">= 10", "< 5%", "= 0", "!= 3" or
// "between 1 and 10". The text says what passes. Empty text is unset.
func ParseThreshold(text string) (Threshold, error) {
	rest := strings.TrimSpace(text)
	if rest == "" {
		return Threshold{}, nil
	}
	if bounds, ok := strings.CutPrefix(strings.ToLower(rest), "between "); ok {
		return parseBetween(text, bounds)
	}
	for _, op := range []string{">=", "<=", "!=", "==", ">", "<", "="} {
		number, ok := strings.CutPrefix(rest, op)
		if !ok {
			continue
		}
		low, percent, err := parseBound(number)
		if err != nil {
			return Threshold{}, fmt.Errorf("read the threshold %q: %w", text, err)
		}
		if op == "==" {
			op = "="
		}
		return Threshold{Op: op, Low: low, Percent: percent}, nil
	}
	return Threshold{}, fmt.Errorf(`read the threshold %q: write what passes, such as "> 0", "< 5%%", "= 0" or "between 1 and 10"`, text)
}

// parseBetween reads the two bounds of "between 1 and 10".
func parseBetween(text, bounds string) (Threshold, error) {
	first, second, found := strings.Cut(bounds, " and ")
	if !found {
		return Threshold{}, fmt.Errorf(`read the threshold %q: write "between 1 and 10"`, text)
	}
	low, lowPercent, err := parseBound(first)
	if err != nil {
		return Threshold{}, fmt.Errorf("read the threshold %q: %w", text, err)
	}
	high, highPercent, err := parseBound(second)
	if err != nil {
		return Threshold{}, fmt.Errorf("read the threshold %q: %w", text, err)
	}
	if low > high {
		return Threshold{}, fmt.Errorf("read the threshold %q: the lower bound comes first", text)
	}
	return Threshold{Op: "between", Low: low, High: high, Percent: lowPercent || highPercent}, nil
}

// parseBound reads one number, with or without a percent sign.
func parseBound(text string) (value float64, percent bool, err error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	digits = strings.TrimSpace(digits)
	value, err = strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, false, fmt.Errorf("%q is not a number", digits)
	}
	return value, percent, nil
}

// IsZero reports whether the threshold is unset.
func (t Threshold) IsZero() bool { return t.Op == "" }

// Holds reports whether v passes. NaN never passes a threshold that is set.
func (t Threshold) Holds(v float64) bool {
	switch t.Op {
	case "":
		return true
	case ">":
		return v > t.Low
	case ">=":
		return v >= t.Low
	case "<":
		return v < t.Low
	case "<=":
		return v <= t.Low
	case "=":
		return v == t.Low
	case "!=":
		return v < t.Low || v > t.Low
	case "between":
		return v >= t.Low && v <= t.High
	}
	return false
}

// String returns the threshold as ParseThreshold reads it.
func (t Threshold) String() string {
	sign := ""
	if t.Percent {
		sign = "%"
	}
	if t.Op == "" {
		return ""
	}
	if t.Op == "between" {
		return "between " + formatNumber(t.Low) + sign + " and " + formatNumber(t.High) + sign
	}
	return t.Op + " " + formatNumber(t.Low) + sign
}

// bounds returns the range that passes as pointers, nil where it is open.
func (t Threshold) bounds() (low, high *float64) {
	switch t.Op {
	case ">", ">=":
		return &t.Low, nil
	case "<", "<=":
		return nil, &t.Low
	case "=":
		return &t.Low, &t.Low
	case "between":
		return &t.Low, &t.High
	}
	return nil, nil
}

// formatNumber writes a number without an exponent and without idle zeros.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
