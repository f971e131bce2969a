package workflows

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/receipts"
)

// memStore is a Store in memory for this package's tests. Rows are kept as
// JSON, so that nothing is shared with the Service, and a transaction works on
// a copy that is dropped where it fails.
type memStore struct {
	mu        sync.Mutex
	data      memData
	commits   int
	conflicts int            // how many coming commits are lost to another writer
	down      error          // what every commit answers while the database is away
	shared    func(*memData) // what others wrote in the next transaction, which is lost and run again
	between   func(*memData) // runs once where a commit was lost: another writer's
}

type memData struct {
	incidents map[string][]byte
	proposals map[string][]byte
	results   map[string][]byte
	changes   []diagnosis.ChangeEvent
	deadlines map[[2]string]Deadline
	effects   []Effect
	keys      map[string]bool
	log       []receipts.Entry
	drafts    []receipts.Draft
	head      receipts.Head
	stop      Stop
	inForce   InForce
	delegated map[string][]byte
	answers   map[string]checks.Answer
}

func newMemStore() *memStore { return &memStore{data: memData{}.copy()} }

func (d memData) copy() memData {
	c := d
	c.incidents, c.proposals, c.results = cloned(d.incidents), cloned(d.proposals), cloned(d.results)
	c.delegated, c.answers = cloned(d.delegated), cloned(d.answers)
	c.deadlines, c.keys = cloned(d.deadlines), cloned(d.keys)
	c.changes, c.effects = slices.Clone(d.changes), slices.Clone(d.effects)
	c.log, c.drafts = slices.Clone(d.log), slices.Clone(d.drafts)
	return c
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	maps.Copy(c, m)
	return c
}

func (s *memStore) Update(_ context.Context, do func(Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared := s.shared; shared != nil {
		s.shared = nil
		lost := s.data.copy()
		shared(&lost)
		if err := do(&memTx{data: lost}); err != nil {
			return err
		}
	}
	tx := &memTx{data: s.data.copy()}
	if err := do(tx); err != nil {
		return err
	}
	if s.down != nil {
		return s.down
	}
	if s.conflicts > 0 {
		s.conflicts--
		if s.between != nil {
			s.between(&s.data)
			s.between = nil
		}
		return fmt.Errorf("commit: %w", ErrConflict)
	}
	s.data = tx.data
	s.commits++
	return nil
}

func (s *memStore) View(_ context.Context, do func(ReadTx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return do(&memTx{data: s.data}) // rows are decoded on reading: nothing is shared
}

type memTx struct{ data memData }

func get[T any](rows map[string][]byte, id string) (T, error) {
	var v T
	b, found := rows[id]
	if !found {
		return v, ErrNotFound
	}
	return v, json.Unmarshal(b, &v)
}

func all[T any](rows map[string][]byte) ([]T, error) {
	var out []T
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		v, err := get[T](rows, id)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func put(rows map[string][]byte, id string, v any) error {
	b, err := json.Marshal(v)
	rows[id] = b
	return err
}

func (t *memTx) Incident(_ context.Context, id string) (Incident, error) {
	return get[Incident](t.data.incidents, id)
}

func (t *memTx) Incidents(_ context.Context, openOnly bool, limit int) ([]Incident, error) {
	is, err := all[Incident](t.data.incidents)
	if openOnly {
		is = slices.DeleteFunc(is, func(i Incident) bool { return i.State == Resolved })
	}
	slices.SortStableFunc(is, func(a, b Incident) int { return b.OpenedAt.Compare(a.OpenedAt) })
	return is[:min(limit, len(is))], err
}

func (t *memTx) Proposal(_ context.Context, id string) (Proposal, error) {
	return get[Proposal](t.data.proposals, id)
}

func (t *memTx) ProposalsOf(_ context.Context, incident string) ([]Proposal, error) {
	ps, err := all[Proposal](t.data.proposals)
	return slices.DeleteFunc(ps, func(p Proposal) bool { return p.Incident != incident }), err
}

func (t *memTx) ProposalsIn(_ context.Context, states ...ProposalState) ([]Proposal, error) {
	ps, err := all[Proposal](t.data.proposals)
	return slices.DeleteFunc(ps, func(p Proposal) bool { return !slices.Contains(states, p.State) }), err
}

func (t *memTx) LastResult(_ context.Context, check string) (checks.Result, bool, error) {
	r, err := get[checks.Result](t.data.results, check)
	if errors.Is(err, ErrNotFound) {
		return r, false, nil
	}
	return r, err == nil, err
}

func (t *memTx) LastAnswer(ctx context.Context, check string) (checks.Result, bool, error) {
	r, found, err := t.LastResult(ctx, check)
	return r, found && r.Status != checks.Error && r.Status != checks.Skipped, err
}

func (t *memTx) LastResults(context.Context) ([]checks.Result, error) {
	return all[checks.Result](t.data.results)
}

func (t *memTx) Changes(_ context.Context, since, until time.Time) ([]diagnosis.ChangeEvent, error) {
	return slices.DeleteFunc(slices.Clone(t.data.changes), func(c diagnosis.ChangeEvent) bool {
		return c.At.Before(since) || c.At.After(until)
	}), nil
}

func (t *memTx) Head(context.Context) (receipts.Head, error) { return t.data.head, nil }

func (t *memTx) Receipts(_ context.Context, after int64, limit int) ([]receipts.Entry, error) {
	from := min(int(after), len(t.data.log))
	return t.data.log[from:min(from+limit, len(t.data.log))], nil
}

func (t *memTx) Checkpoint(context.Context) ([]byte, error) { return nil, nil }

func (t *memTx) Due(_ context.Context, now time.Time, limit int) ([]Deadline, error) {
	var due []Deadline
	for _, d := range t.data.deadlines {
		if !d.DueAt.After(now) {
			due = append(due, d)
		}
	}
	slices.SortFunc(due, func(a, b Deadline) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
	return due[:min(limit, len(due))], nil
}

func (t *memTx) Deadline(_ context.Context, kind, subject string) (Deadline, bool, error) {
	d, found := t.data.deadlines[[2]string{kind, subject}]
	return d, found, nil
}

func (t *memTx) PutIncident(_ context.Context, i Incident) (Incident, error) {
	old, err := get[Incident](t.data.incidents, i.ID)
	if (err == nil && old.Rev != i.Rev) || (err != nil && i.Rev != 0) {
		return Incident{}, ErrConflict
	}
	i.Rev++
	return i, put(t.data.incidents, i.ID, i)
}

func (t *memTx) PutProposal(_ context.Context, p Proposal) (Proposal, error) {
	old, err := get[Proposal](t.data.proposals, p.ID)
	if (err == nil && old.Rev != p.Rev) || (err != nil && p.Rev != 0) {
		return Proposal{}, ErrConflict
	}
	p.Rev++
	return p, put(t.data.proposals, p.ID, p)
}

func (t *memTx) PutResult(ctx context.Context, r checks.Result) error {
	// The newest is kept, as a store answers it.
	if last, found, err := t.LastResult(ctx, r.Check); err != nil || found && r.At.Before(last.At) {
		return err
	}
	return put(t.data.results, r.Check, r)
}

func (t *memTx) PutChange(_ context.Context, c diagnosis.ChangeEvent) (bool, error) {
	t.data.changes = append(t.data.changes, c)
	return true, nil
}

func (t *memTx) SetDeadline(_ context.Context, d Deadline) error {
	t.data.deadlines[[2]string{d.Kind, d.Subject}] = d
	return nil
}

func (t *memTx) TakeDeadline(_ context.Context, d Deadline) (bool, error) {
	key := [2]string{d.Kind, d.Subject}
	stored, found := t.data.deadlines[key]
	if !found || !stored.DueAt.Equal(d.DueAt) {
		return false, nil
	}
	delete(t.data.deadlines, key)
	return true, nil
}

func (t *memTx) DropDeadlines(_ context.Context, subject string) error {
	maps.DeleteFunc(t.data.deadlines, func(k [2]string, _ Deadline) bool { return k[1] == subject })
	return nil
}

// AppendReceipt keeps a real chain; after the clock went back it first records
// the jump, as a store does.
func (t *memTx) AppendReceipt(_ context.Context, d receipts.Draft) (receipts.Entry, error) {
	sealed, texts, err := receipts.Sealer{Rand: rand.Reader}.Seal(d)
	if err != nil {
		return receipts.Entry{}, err
	}
	e, head, err := receipts.Append("test", t.data.head, sealed)
	if errors.Is(err, receipts.ErrClock) {
		jump := receipts.Draft{Kind: receipts.KindClockJump, Actor: itself(), At: d.At}
		if e, head, err = receipts.Append("test", t.data.head, jump); err != nil {
			return e, err
		}
		t.data.log, t.data.head = append(t.data.log, e), head
		e, head, err = receipts.Append("test", t.data.head, sealed)
	}
	if err != nil {
		return e, err
	}
	for _, text := range texts {
		if err := receipts.CheckText(e.Bytes, text); err != nil {
			return e, err
		}
	}
	t.data.log, t.data.drafts, t.data.head = append(t.data.log, e), append(t.data.drafts, d), head
	return e, nil
}

func (t *memTx) Stop(context.Context) (Stop, error) { return t.data.stop, nil }

func (t *memTx) PutStop(_ context.Context, s Stop) (Stop, error) {
	if s.Rev != t.data.stop.Rev+1 {
		return Stop{}, ErrConflict
	}
	t.data.stop = s
	return s, nil
}

func (t *memTx) InForce(context.Context) (InForce, error) { return t.data.inForce, nil }

func (t *memTx) PutInForce(_ context.Context, f InForce) (InForce, error) {
	if f.Rev != t.data.inForce.Rev+1 {
		return InForce{}, ErrConflict
	}
	t.data.inForce = f
	return f, nil
}

func (t *memTx) Delegation(_ context.Context, id string) (Delegation, error) {
	return get[Delegation](t.data.delegated, id)
}

func (t *memTx) Delegations(_ context.Context, endingAfter time.Time) ([]Delegation, error) {
	ds, err := all[Delegation](t.data.delegated)
	return slices.DeleteFunc(ds, func(d Delegation) bool { return !d.Until.After(endingAfter) }), err
}

func (t *memTx) PutDelegation(_ context.Context, d Delegation) (Delegation, error) {
	old, err := get[Delegation](t.data.delegated, d.ID)
	if (err == nil && old.Rev != d.Rev) || (err != nil && d.Rev != 0) {
		return Delegation{}, ErrConflict
	}
	d.Rev++
	return d, put(t.data.delegated, d.ID, d)
}

func (t *memTx) Enqueue(_ context.Context, e Effect) error {
	if !t.data.keys[e.Key] {
		t.data.keys[e.Key] = true
		t.data.effects = append(t.data.effects, e)
	}
	return nil
}

func (t *memTx) Answers(_ context.Context, check string) ([]checks.Answer, error) {
	var out []checks.Answer
	for _, id := range slices.Sorted(maps.Keys(t.data.answers)) {
		if a := t.data.answers[id]; a.Check == check {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b checks.Answer) int { return a.At.Compare(b.At) })
	return out, nil
}

func (t *memTx) PutAnswer(_ context.Context, id string, a checks.Answer) error {
	t.data.answers[id] = a
	return nil
}
