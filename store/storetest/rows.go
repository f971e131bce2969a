package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/workflows"
)

func incidentRevisions(t *testing.T, s Subject) {
	var first, second workflows.Incident
	update(t, s, func(ctx context.Context, tx workflows.Tx) (err error) {
		first, err = tx.PutIncident(ctx, incident(1))
		return err
	})
	equal(t, "revision after the first write", first.Rev, 1)
	update(t, s, func(ctx context.Context, tx workflows.Tx) (err error) {
		first.State = workflows.Acknowledged
		second, err = tx.PutIncident(ctx, first)
		return err
	})
	equal(t, "revision after the second write", second.Rev, 2)
	for name, rev := range map[string]int64{"new again": 0, "stale": 1, "from the future": 3} {
		stale := second
		stale.Rev, stale.State = rev, workflows.Resolved
		err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
			_, err := tx.PutIncident(t.Context(), stale)
			return err
		})
		if !errors.Is(err, workflows.ErrConflict) {
			t.Errorf("%s: got error %v, want a conflict", name, err)
		}
	}
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		got, err := tx.Incident(ctx, first.ID)
		equal(t, "incident", got, second)
		return err
	})
}

func proposalRevisions(t *testing.T, s Subject) {
	p := proposal(1, "I001")
	update(t, s, func(ctx context.Context, tx workflows.Tx) (err error) {
		// The proposal before its incident: within a transaction order is free.
		if p, err = tx.PutProposal(ctx, p); err != nil {
			return err
		}
		_, err = tx.PutIncident(ctx, incident(1))
		return err
	})
	equal(t, "revision after the first write", p.Rev, 1)
	stale := p
	update(t, s, func(ctx context.Context, tx workflows.Tx) (err error) {
		p.State = workflows.Approved
		p, err = tx.PutProposal(ctx, p)
		return err
	})
	err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
		stale.State = workflows.Rejected
		_, err := tx.PutProposal(t.Context(), stale)
		return err
	})
	if !errors.Is(err, workflows.ErrConflict) {
		t.Errorf("stale proposal: got error %v, want a conflict", err)
	}
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		got, err := tx.Proposal(ctx, p.ID)
		equal(t, "proposal", got, p)
		return err
	})
}

// twoWriters: both read the same revision, one wins.
func twoWriters(t *testing.T, s Subject) {
	var read workflows.Incident
	update(t, s, func(ctx context.Context, tx workflows.Tx) (err error) {
		read, err = tx.PutIncident(ctx, incident(1))
		return err
	})
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = s.Store.Update(t.Context(), func(tx workflows.Tx) error {
				_, err := tx.PutIncident(t.Context(), read)
				return err
			})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, workflows.ErrConflict) {
			t.Errorf("loser got %v, want a conflict", err)
		}
	}
	equal(t, "winners", won, 1)
}

func missingRows(t *testing.T, s Subject) {
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		if _, err := tx.Incident(ctx, "none"); !errors.Is(err, workflows.ErrNotFound) {
			t.Errorf("incident: got error %v, want not found", err)
		}
		if _, err := tx.Proposal(ctx, "none"); !errors.Is(err, workflows.ErrNotFound) {
			t.Errorf("proposal: got error %v, want not found", err)
		}
		_, found, err := tx.LastResult(ctx, "none")
		if found || err != nil {
			t.Errorf("last result: got %v, %v, want false", found, err)
		}
		_, found, err = tx.Deadline(ctx, workflows.DeadlineCheck, "none")
		if found || err != nil {
			t.Errorf("deadline: got %v, %v, want false", found, err)
		}
		note, err := tx.Checkpoint(ctx)
		if note != nil || err != nil {
			t.Errorf("checkpoint: got %q, %v, want nil", note, err)
		}
		return nil
	})
	st := stateOf(t, s)
	equal(t, "rows of an empty store", len(st.incidents)+len(st.proposals)+len(st.deadlines), 0)
}

func incidentOrder(t *testing.T, s Subject) {
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		for _, n := range []int{2, 4, 1, 3} {
			i := incident(n)
			if n == 3 {
				i.State = workflows.Resolved
			}
			if _, err := tx.PutIncident(ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		for _, want := range []struct {
			ids   string
			open  bool
			limit int
		}{
			{"I004 I003 I002 I001", false, 0},
			{"I004 I002 I001", true, 0},
			{"I004 I003", false, 2},
			{"I004 I002", true, 2},
		} {
			list, err := tx.Incidents(ctx, want.open, want.limit)
			if err != nil {
				return err
			}
			equal(t, "incidents", ids(list, func(i workflows.Incident) string { return i.ID }), want.ids)
		}
		return nil
	})
}

func proposalOrder(t *testing.T, s Subject) {
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		var errs []error
		for _, n := range []int{1, 2} {
			_, err := tx.PutIncident(ctx, incident(n))
			errs = append(errs, err)
		}
		for n, state := range map[int]workflows.ProposalState{
			3: workflows.Waiting, 1: workflows.Approved, 2: workflows.Waiting, 4: workflows.Rejected,
		} {
			p := proposal(n, "I001")
			if n == 2 {
				p.Incident = "I002"
			}
			p.State = state
			_, err := tx.PutProposal(ctx, p)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	id := func(p workflows.Proposal) string { return p.ID }
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		of, err1 := tx.ProposalsOf(ctx, "I001")
		equal(t, "proposals of I001", ids(of, id), "P001 P003 P004")
		waiting, err2 := tx.ProposalsIn(ctx, workflows.Waiting)
		equal(t, "waiting proposals", ids(waiting, id), "P002 P003")
		two, err3 := tx.ProposalsIn(ctx, workflows.Waiting, workflows.Approved)
		equal(t, "waiting or approved proposals", ids(two, id), "P001 P002 P003")
		none, err4 := tx.ProposalsIn(ctx)
		equal(t, "proposals in no state", ids(none, id), "")
		return errors.Join(err1, err2, err3, err4)
	})
}

func orphanProposal(t *testing.T, s Subject) {
	err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
		_, err := tx.PutProposal(t.Context(), proposal(1, "no such incident"))
		return err
	})
	if err == nil {
		t.Error("a proposal of no incident was stored")
	}
	equal(t, "proposals", len(stateOf(t, s).proposals), 0)
}

func ids[T any](list []T, id func(T) string) string {
	all := make([]string, 0, len(list))
	for _, v := range list {
		all = append(all, id(v))
	}
	return strings.Join(all, " ")
}

// valuesSurvive: text of any script and a document of several megabytes.
func valuesSurvive(t *testing.T, s Subject) {
	i := incident(1)
	i.ID = "Ī-1'; DROP TABLE incidents; --"
	i.Onset = base().Add(789 * time.Nanosecond)
	for _, text := range []string{
		"e\u0301 is not \u00e9", "\u202e\u200b", "<!channel> & \"quotes\" 'and' `ticks`",
		"\x00 and \x7f", "表格 🎟️", strings.Repeat("größer ", 500_000),
	} {
		i.Notes = append(i.Notes, workflows.Note{At: base(), Who: "dw", Text: text})
	}
	update(t, s, func(ctx context.Context, tx workflows.Tx) (err error) {
		i, err = tx.PutIncident(ctx, i)
		return err
	})
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		got, err := tx.Incident(ctx, i.ID)
		if len(got.Notes) != len(i.Notes) {
			t.Fatalf("got %d notes, want %d", len(got.Notes), len(i.Notes))
		}
		for n := range i.Notes {
			if got.Notes[n] != i.Notes[n] {
				t.Errorf("note %d of %d bytes came back changed", n, len(i.Notes[n].Text))
			}
		}
		equal(t, "onset", got.Onset, i.Onset)
		return err
	})
}
