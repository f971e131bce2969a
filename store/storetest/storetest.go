// Package storetest is the judge of every store: what dw relies on, stated as
// tests that a store on any database must pass.
package storetest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"dw/workflows"
)

// Subject is a fresh, empty store under test and what the suite cannot ask the
// Store interface itself.
type Subject struct {
	Store workflows.Store
	// Another opens the same database a second time, as another process does, and
	// closes it by t.Cleanup.
	Another func(t *testing.T) workflows.Store
	// Queued lists the effects that are in the queue, in any state, in the
	// order in which they were queued.
	Queued func(t *testing.T) []workflows.Effect
	// KeepResults is how many results of one check the store was told to keep.
	KeepResults int
}

// Run runs the suite; open must return a new, empty store each time, which it
// closes by t.Cleanup. The store's instance must be named Instance.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for name, test := range map[string]func(*testing.T, Subject){
		"incident revisions":                     incidentRevisions,
		"proposal revisions":                     proposalRevisions,
		"two writers of one revision":            twoWriters,
		"missing rows":                           missingRows,
		"incident order and filter":              incidentOrder,
		"proposal order and filter":              proposalOrder,
		"the stop":                               theStop,
		"the policy in force":                    policyInForce,
		"delegations":                            delegations,
		"proposal of a policy change":            policyChange,
		"proposal without incident":              orphanProposal,
		"results":                                results,
		"result cap":                             resultCap,
		"changes":                                changes,
		"values survive":                         valuesSurvive,
		"deadlines":                              deadlines,
		"deadline is never early":                deadlineNeverEarly,
		"deadline takers":                        deadlineTakers,
		"receipts chain":                         receiptsChain,
		"the clock goes back":                    clockJump,
		"receipt pages":                          receiptPages,
		"concurrent receipts do not fork":        concurrentReceipts,
		"writers that fail at random":            manyWriters,
		"refused receipt":                        refusedReceipt,
		"effects once":                           effectsOnce,
		"effect without key":                     effectWithoutKey,
		"error leaves nothing":                   errorLeavesNothing,
		"panic leaves nothing":                   panicLeavesNothing,
		"cancelled context leaves nothing":       cancelLeavesNothing,
		"ignored write error leaves nothing":     ignoredErrorLeavesNothing,
		"update reads its own writes":            ownWrites,
		"view is one state":                      viewIsOneState,
		"transaction is over after its function": overAfterwards,
		"two processes: receipts":                receiptsOfTwo,
		"two processes: deadlines":               deadlinesOfTwo,
		"two processes: one revision":            revisionOfTwo,
		"two processes: effects":                 effectsOfTwo,
		"two processes: each sees the other":     seesTheOther,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// Instance is the name under which a store under test must be opened.
const Instance = "conformance"

var errStop = errors.New("stop here")

// base is the suite's noon; it has microseconds, as stored times do.
func base() time.Time { return time.Date(2026, 3, 29, 0, 30, 0, 123456000, time.UTC) }

func update(t *testing.T, s Subject, do func(ctx context.Context, tx workflows.Tx) error) {
	t.Helper()
	err := s.Store.Update(t.Context(), func(tx workflows.Tx) error { return do(t.Context(), tx) })
	if err != nil {
		t.Fatalf("update: %v", err)
	}
}

func view(t *testing.T, s Subject, do func(ctx context.Context, tx workflows.ReadTx) error) {
	t.Helper()
	err := s.Store.View(t.Context(), func(tx workflows.ReadTx) error { return do(t.Context(), tx) })
	if err != nil {
		t.Fatalf("view: %v", err)
	}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// state is everything that a failed transaction could have left behind.
type state struct {
	incidents []workflows.Incident
	proposals []workflows.Proposal
	deadlines []workflows.Deadline
	head      int64
	receipts  int
	effects   []workflows.Effect
}

func stateOf(t *testing.T, s Subject) state {
	t.Helper()
	var st state
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		var errs [5]error
		st.incidents, errs[0] = tx.Incidents(ctx, false, 0)
		st.proposals, errs[1] = tx.ProposalsIn(ctx, workflows.Waiting)
		st.deadlines, errs[2] = tx.Due(ctx, base().AddDate(1, 0, 0), 0)
		head, err := tx.Head(ctx)
		st.head, errs[3] = head.Seq, err
		entries, err := tx.Receipts(ctx, 0, 0)
		st.receipts, errs[4] = len(entries), err
		return errors.Join(errs[:]...)
	})
	st.effects = s.Queued(t)
	return st
}
