package checks

import (
	"slices"
	"strings"
)

// The kinds of check.
const (
	KindRowCount       = "row_count"
	KindVolume         = "volume"
	KindFreshness      = "freshness"
	KindMissing        = "missing"
	KindUnique         = "unique"
	KindAcceptedValues = "accepted_values"
	KindRange          = "range"
	KindRelationships  = "relationships"
	KindSchema         = "schema"
	KindMetric         = "metric"
	KindDimension      = "dimension"
	KindDeadLetter     = "dead_letter"
	KindReconcile      = "reconcile"
	KindSQL            = "sql"
)

// Kinds returns the names of all kinds.
func Kinds() []string {
	return []string{
		KindRowCount, KindVolume, KindFreshness, KindMissing, KindUnique, KindAcceptedValues, KindRange,
		KindRelationships, KindSchema, KindMetric, KindDimension, KindDeadLetter, KindReconcile, KindSQL,
	}
}

// aliases returns the names that people know from other tools for a kind.
func aliases(kind string) []string {
	switch kind {
	case KindRowCount:
		return []string{"rows", "count", "row_count_between", "number_of_rows", "table_row_count"}
	case KindVolume:
		return []string{"volume_anomalies", "volume_anomaly"}
	case KindFreshness:
		return []string{"source_freshness", "recency", "data_freshness_sla", "freshness_anomalies"}
	case KindMissing:
		return []string{"not_null", "nulls", "null", "missing_count", "missing_percent", "values_to_not_be_null"}
	case KindUnique:
		return []string{"duplicate", "duplicates", "duplicate_count", "unique_values", "unique_combination_of_columns", "values_to_be_unique"}
	case KindAcceptedValues:
		return []string{"accepted_value", "valid_values", "invalid", "invalid_count", "invalid_percent", "in_set", "values_to_be_in_set"}
	case KindRange:
		return []string{"accepted_range", "between", "values_to_be_between"}
	case KindRelationships:
		return []string{"relationship", "reference", "references", "foreign_key", "referential_integrity"}
	case KindSchema:
		return []string{"schema_changes", "schema_change", "columns", "contract"}
	case KindMetric:
		return []string{"aggregate", "column_anomalies", "expression", "avg", "sum"}
	case KindDimension:
		return []string{"dimension_anomalies", "dimensions", "segments"}
	case KindDeadLetter:
		return []string{"dlq", "dead_letters", "dead_letter_queue"}
	case KindReconcile:
		return []string{"reconciliation", "compare", "row_count_same_as", "diff"}
	case KindSQL:
		return []string{"custom", "custom_sql", "failed_rows", "query", "singular"}
	}
	return nil
}

// KindOf returns the kind that a name stands for, by its own name or an alias
// ("not_null", "source freshness", "dlq"), without regard to case, spaces or
// dashes. It reports false for a name that is neither.
func KindOf(name string) (string, bool) {
	plain := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
	plain = strings.TrimPrefix(plain, "expect_column_") // as Great Expectations names them
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
