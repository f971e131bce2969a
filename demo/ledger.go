package demo

import (
	"context"
	"encoding/json"
	"fmt"

	"dw/app"
)

// manyReceipts bounds how many receipts of one incident are read.
const manyReceipts = 10_000

// statement is what is read of a receipt. Bodies of other kinds may hold other
// things under the same keys, so the body is read by kind.
type statement struct {
	Predicate struct {
		Kind string          `json:"kind"`
		Body json.RawMessage `json:"body"`
	} `json:"predicate"`
}

// kindErrandOutcome is the kind of a receipt of what became of an errand.
const kindErrandOutcome = "errand.outcome"

// readReceipts reads the numbers of the incident's receipts and what they say of
// the pager and the tracker.
func (o *outcome) readReceipts(ctx context.Context, log *app.Log, incident string) error {
	rows, err := log.LastReceipts(ctx, incident, manyReceipts)
	if err != nil {
		return fmt.Errorf("read the receipts: %w", err)
	}
	for _, row := range rows {
		if o.Receipts.First == 0 {
			o.Receipts.First = row.Seq
		}
		o.Receipts.Last = row.Seq
		receipt, err := log.Receipt(ctx, row.Seq)
		if err != nil {
			return fmt.Errorf("read receipt %d: %w", row.Seq, err)
		}
		if err := o.readReceipt(row.Seq, receipt.Bytes); err != nil {
			return fmt.Errorf("read receipt %d: %w", row.Seq, err)
		}
	}
	return nil
}

func (o *outcome) readReceipt(seq int64, content []byte) error {
	var s statement
	if err := json.Unmarshal(content, &s); err != nil {
		return err
	}
	var step struct {
		Undo bool `json:"undo"`
	}
	if json.Unmarshal(s.Predicate.Body, &step) == nil && step.Undo {
		o.Receipts.Undo = append(o.Receipts.Undo, seq)
	}
	if s.Predicate.Kind != kindErrandOutcome {
		return nil
	}
	var e errand
	if err := json.Unmarshal(s.Predicate.Body, &e); err != nil {
		return err
	}
	e.Receipt = seq
	o.Errands = append(o.Errands, e)
	return nil
}
