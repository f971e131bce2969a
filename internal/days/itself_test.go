package days

import (
	"context"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/store"
	"dw/workflows"
)

// In one domain two people have opened one job for dw to run by itself.
const (
	ownDomain = "people"
	ownJob    = "sched://people-again"
)

// open puts the level of that domain in force, once, as a promotion that was
// decided before these days does.
func (w *world) open(t *testing.T, db *store.DB) {
	t.Helper()
	ctx := context.Background()
	err := db.Update(ctx, func(tx workflows.Tx) error {
		f, err := tx.InForce(ctx)
		if err != nil || f.Domains[ownDomain].Rev > 0 {
			return err
		}
		f.Domains = map[string]workflows.Governed{}
		for _, d := range w.domains {
			f.Domains[d.Domain] = workflows.Governed{
				Policy: d, File: d, How: workflows.ByDecision, LevelHow: workflows.ByDecision, LevelBy: d.Owner, LevelAt: w.now(), Rev: 1,
			}
		}
		f.Rev++
		_, err = tx.PutInForce(ctx, f)
		return err
	})
	w.must(t, err)
}

// checkActed: dw begins by itself only the opened playbook of the opened domain,
// while it is not stopped, once, and before anybody approved.
func (w *world) checkActed(t *testing.T, l *logged, seq int64, id string) {
	t.Helper()
	p := w.history.seen[id]
	if p.Domain != ownDomain || p.Playbook != "lost_rows/rerun" || !p.ByItself() || p.Approvals() > 0 {
		t.Errorf("receipt %d: dw began %s (%s of %s) by itself: %+v", seq, id, p.Playbook, p.Domain, p.Itself)
	}
	if l.stopped || l.itself[id] || l.begun[id] {
		t.Errorf("receipt %d: dw began %s by itself, stopped %v, before %v %v", seq, id, l.stopped, l.itself[id], l.begun[id])
	}
}

// Reads meets workflows.FactReader: of the opened job alone.
func (o *outside) Reads(a diagnosis.Action) bool { return a.Target == ownJob }

// ReadFacts meets workflows.FactReader.
func (o *outside) ReadFacts(context.Context, diagnosis.PlannedStep) ([]workflows.Fact, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sky == away {
		return nil, errNoAnswer
	}
	return []workflows.Fact{{Name: "job", Value: "present"}}, nil
}

// Effect meets workflows.FactReader: a run leaves the job as it is.
func (o *outside) Effect(context.Context, diagnosis.PlannedStep) ([]workflows.Fact, error) {
	return []workflows.Fact{{Name: "job", Value: "present"}}, nil
}

// TestDaysByItself: the quiet story: the opened job is run at once, under its tag,
// while the change beside it waits for people.
func TestDaysByItself(t *testing.T) {
	t.Parallel()
	f, w := play(t, 5, 4*time.Hour)
	if f.itself == 0 {
		t.Errorf("dw did nothing by itself : %+v", f)
	}
	for _, p := range w.history.seen {
		if p.ByItself() && len(p.Decisions) > 0 {
			t.Errorf("%s was decided and begun by dw itself", p.ID)
		}
	}
}
