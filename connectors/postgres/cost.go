package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"dw/checks"
)

// plan is what dw reads of a node of EXPLAIN (FORMAT JSON, VERBOSE).
type plan struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Schema   string  `json:"Schema"`
	Role     string  `json:"Parent Relationship"`
	Cost     float64 `json:"Total Cost"`
	Rows     float64 `json:"Plan Rows"`
	Plans    []plan  `json:"Plans"`
}

// Estimate is what PostgreSQL's planner expects of a statement before it is run.
type Estimate struct {
	Cost float64 // total cost, in the planner's unit: about the reading of one page in order
	Rows float64 // rows that are read, of all tables together
}

// Estimate asks the planner about a SELECT without running it. Both figures are
// as good as the last ANALYZE of the tables.
func (db *DB) Estimate(ctx context.Context, text string, args ...any) (Estimate, error) {
	single, err := checks.Single(text)
	if err != nil {
		return Estimate{}, err
	}
	var found Estimate
	err = db.read(ctx, func(ctx context.Context, s *session) error {
		var err error
		found, err = s.estimate(ctx, db.whole(single), args)
		return err
	})
	return found, err
}

// affordable refuses a statement that the planner finds too costly.
func (s *session) affordable(ctx context.Context, text string, args []any) error {
	o := s.db.opts
	if o.MaxCost == 0 && o.MaxRowsScanned == 0 {
		return nil
	}
	found, err := s.estimate(ctx, text, args)
	if err != nil {
		return err
	}
	switch {
	case o.MaxCost > 0 && found.Cost > o.MaxCost:
		return tooCostly("an estimated cost of %s is over max_cost %s", found.Cost, o.MaxCost)
	case o.MaxRowsScanned > 0 && found.Rows > float64(o.MaxRowsScanned):
		return tooCostly("an estimated %s rows to read are over max_rows_scanned %s", found.Rows, float64(o.MaxRowsScanned))
	}
	return nil
}

func tooCostly(format string, found, limit float64) error {
	return &checks.RefusedError{
		Guard: "cost limit",
		Why:   "too costly: " + fmt.Sprintf(format, figure(found), figure(limit)) + " (by EXPLAIN; the statement was not run)",
	}
}

// figure writes a whole number with commas between thousands.
func figure(v float64) string {
	digits := strconv.FormatFloat(math.Ceil(v), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// estimate asks the planner, once for the statement and once for each table that
// it reads in full.
func (s *session) estimate(ctx context.Context, text string, args []any) (Estimate, error) {
	root, err := s.explainPlan(ctx, text, args...)
	if err != nil {
		return Estimate{}, err
	}
	rows, err := s.scanned(ctx, root, 1, map[[2]string]float64{})
	return Estimate{Cost: root.Cost, Rows: rows}, err
}

// explainPlan returns the plan of a statement, which is not run.
func (s *session) explainPlan(ctx context.Context, text string, args ...any) (plan, error) {
	found, err := s.run(ctx, "EXPLAIN (VERBOSE, FORMAT JSON) "+text, 1, args...)
	if err != nil {
		return plan{}, err
	}
	var roots []struct{ Plan plan }
	if len(found.rows) != 1 || json.Unmarshal(found.rows[0][0], &roots) != nil || len(roots) != 1 {
		return plan{}, errors.New("PostgreSQL's plan of the statement cannot be read")
	}
	return roots[0].Plan, nil
}

// scanned counts the rows that a node and those below read, times being how
// often it runs: once for each row of the other side of a nested loop. A table
// read in full counts with all its rows, whatever its filter leaves over.
func (s *session) scanned(ctx context.Context, node plan, times float64, known map[[2]string]float64) (float64, error) {
	sum := 0.0
	if node.Relation != "" || node.Type == "Function Scan" {
		rows := node.Rows
		if node.Type == "Seq Scan" {
			whole, err := s.tableRows(ctx, node.Schema, node.Relation, known)
			if err != nil {
				return 0, err
			}
			rows = max(rows, whole)
		}
		sum += rows * times
	}
	for i, child := range node.Plans {
		often := times
		if node.Type == "Nested Loop" && child.Role == "Inner" && i > 0 && child.Type != "Materialize" {
			often *= max(1, node.Plans[0].Rows)
		}
		below, err := s.scanned(ctx, child, often, known)
		if err != nil {
			return 0, err
		}
		sum += below
	}
	return sum, nil
}

// tableRows is the planner's own estimate of a table's rows, which follows the
// size of its file also where it was never analysed.
func (s *session) tableRows(ctx context.Context, schema, name string, known map[[2]string]float64) (float64, error) {
	key := [2]string{schema, name}
	if rows, ok := known[key]; ok {
		return rows, nil
	}
	quoted, err := quoteBoth(schema, name)
	if err != nil {
		return 0, err
	}
	root, err := s.explainPlan(ctx, "SELECT 1 FROM ONLY "+quoted)
	if err != nil {
		return 0, err
	}
	known[key] = root.Rows
	return root.Rows, nil
}

func quoteBoth(schema, name string) (string, error) {
	first, err := checks.Quote("postgres", schema)
	if err != nil {
		return "", err
	}
	second, err := checks.Quote("postgres", name)
	return first + "." + second, err
}
