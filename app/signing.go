package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"dw/receipts"
	"dw/workflows"
)

// The times of signing where the configuration names none.
const (
	defaultCheckpointEvery = time.Minute
	defaultCheckpointIdle  = 5 * time.Second
	// looksPerIdle is how often the head is read while the log might fall idle: it is
	// signed at most a fifth later than it should be.
	looksPerIdle = 5
)

// signing signs the log once it has been idle, and while it never is, now and then.
type signing struct {
	head  func(context.Context) (receipts.Head, error)
	sign  func(context.Context) error
	idle  time.Duration // since the last receipt
	every time.Duration // at most, while there are receipts that are not signed
	log   *slog.Logger
}

func (a *App) signing() *signing {
	c := a.project.Config.Receipts
	return &signing{
		head: func(ctx context.Context) (head receipts.Head, err error) {
			err = a.store.View(ctx, func(tx workflows.ReadTx) error { head, err = tx.Head(ctx); return err })
			return head, err
		},
		sign: a.writeCheckpoint, log: a.log,
		idle: c.CheckpointIdle.Or(defaultCheckpointIdle), every: c.CheckpointEvery.Or(defaultCheckpointEvery),
	}
}

// run signs what an earlier dw has left, and then goes on until ctx ends.
func (s *signing) run(ctx context.Context) error {
	looks := time.NewTicker(min(s.idle, s.every) / looksPerIdle)
	defer looks.Stop()
	var now signed
	for {
		next, err := s.look(ctx, now, time.Now())
		if err != nil && ctx.Err() == nil {
			s.log.Error("the receipts could not be signed", "error", err)
		}
		now = next
		select {
		case <-ctx.Done():
			return nil
		case <-looks.C:
		}
	}
}

// signed is what signing knows of the log.
type signed struct {
	began bool
	size  int64     // receipts that are signed
	seen  int64     // receipts at the last look
	moved time.Time // when they were first seen
	tried time.Time // when it was last signed, or could not be
}

// look reads the head at now and signs where it is time. After a failure it is tried
// again when the same time has passed once more.
func (s *signing) look(ctx context.Context, was signed, now time.Time) (signed, error) {
	head, err := s.head(ctx)
	if err != nil {
		return was, fmt.Errorf("read the head of the log: %w", err)
	}
	if head.Seq != was.seen {
		was.seen, was.moved = head.Seq, now
	}
	switch {
	case was.began && was.seen == was.size:
		was.tried = now
		return was, nil
	case was.began && now.Sub(was.moved) < s.idle && now.Sub(was.tried) < s.every:
		return was, nil
	}
	was.began, was.tried = true, now
	if err := s.sign(ctx); err != nil {
		was.moved = now
		return was, err
	}
	was.size = head.Seq
	return was, nil
}
