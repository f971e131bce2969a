package checks

import (
	"slices"
	"strings"
)

// The kinds of check.
const (
	KindRowCount   = "row_count"
	KindVolume     = "volume"
	KindFreshness  = "freshness"
	KindMissing    = "missing"
	KindUnique     = "unique"
	KindDeadLetter = "dead_letter"
	KindSQL        = "sql"
)

// Kinds returns the names of all kinds.
func Kinds() []string {
	return []string{KindRowCount, KindVolume, KindFreshness, KindMissing, KindUnique, KindDeadLetter, KindSQL}
}

// aliases returns the names that people know from other tools for a kind.
func aliases(kind string) []string {
	switch kind {
	case KindRowCount:
		return []string{"rows", "count", "row_count_between"}
	case KindVolume:
		return []string{"volume_anomalies", "volume_anomaly"}
	case KindFreshness:
		return []string{"source_freshness", "recency", "data_freshness_sla"}
	case KindMissing:
		return []string{"not_null", "nulls", "null", "missing_count", "missing_percent"}
	case KindUnique:
		return []string{"duplicate", "duplicates", "duplicate_count", "unique_values"}
	case KindDeadLetter:
		return []string{"dlq", "dead_letters", "dead_letter_queue"}
	case KindSQL:
		return []string{"custom", "custom_sql", "failed_rows", "query"}
	}
	return nil
}

// KindOf returns the kind that a name stands for, by its own name or an alias
// ("not_null", "source freshness", "dlq"), without regard to case, spaces or
// dashes. It reports false for a name that is neither.
func KindOf(name string) (string, bool) {
	plain := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
	for _, kind := range Kinds() {
		if plain == kind || slices.Contains(aliases(kind), plain) {
			return kind, true
		}
	}
	return "", false
}

// kindList names every kind with its aliases, for an error.
func kindList() string {
	parts := make([]string, 0, len(Kinds()))
	for _, kind := range Kinds() {
		parts = append(parts, kind+" (also "+strings.Join(aliases(kind), ", ")+")")
	}
	return strings.Join(parts, "; ")
}
