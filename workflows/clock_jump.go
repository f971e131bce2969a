package workflows

import (
	"context"
	"fmt"
	"time"

	"dw/receipts"
)

// ClockJumped records that dw's clock showed to where it should have shown from.
// It moves no deadline and grants nothing: what is late is late by the stored
// times, before the jump and after it.
func (s *Service) ClockJumped(ctx context.Context, from, to time.Time) error {
	err := s.write(ctx, func(w *work) error {
		w.out.receipt(receipts.Draft{
			Kind: receipts.KindClockJump, Actor: itself(), At: to.UTC(),
			Body: receipts.Object{"from": from.UTC(), "to": to.UTC(), "seconds": int64(to.Sub(from).Round(time.Second).Seconds())},
		})
		return nil
	})
	if err != nil {
		return fmt.Errorf("record that the clock jumped from %s to %s: %w", from.UTC(), to.UTC(), err)
	}
	s.log.WarnContext(ctx, "the clock jumped", "from", from, "to", to)
	return nil
}
