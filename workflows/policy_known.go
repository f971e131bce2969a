package workflows

import (
	"context"
	"fmt"
)

// setGoverned changes what is in force in one domain; flush writes it.
func (w *work) setGoverned(domain string, st Governed) {
	w.inForce, w.governed = w.inForce.with(domain, st), true
}

func (w *work) writeInForce(ctx context.Context) error {
	if !w.governed {
		return nil
	}
	next := w.inForce
	next.Rev++
	stored, err := w.tx.PutInForce(ctx, next)
	if err != nil {
		return fmt.Errorf("write the policy in force: %w", err)
	}
	w.inForce, w.governed = stored, false
	return nil
}

// learn keeps what is in force for what is only shown or planned; an older state
// never replaces a newer one.
func (s *Service) learn(f InForce) {
	for {
		old := s.ruled.Load()
		if old != nil && old.Rev > f.Rev && !f.Damaged {
			return
		}
		if s.ruled.CompareAndSwap(old, &f) {
			return
		}
	}
}

// relearn keeps what is committed, where a transaction was lost: it may have read
// what another had written in the same one, and that is lost with it. Where
// nothing can be read, what is known stays.
func (s *Service) relearn(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for {
		old := s.ruled.Load()
		var f InForce
		err := s.store.View(ctx, func(tx ReadTx) (err error) {
			f, err = tx.InForce(ctx)
			return err
		})
		if err != nil || s.ruled.CompareAndSwap(old, &f) {
			return
		}
	}
}

func (s *Service) known() InForce {
	if f := s.ruled.Load(); f != nil {
		return *f
	}
	return InForce{}
}

// Policy returns the domain's policy as it is in force, to the knowledge of this
// process, and false for a domain that is not in the configuration.
func (s *Service) Policy(domain string) (Policy, bool) {
	if _, found := s.policies(domain); !found {
		return Policy{}, false
	}
	return s.policy(domain), true
}

// inForceDomains lists every domain's policy as it is in force.
func (s *Service) inForceDomains() []Policy {
	f := s.known()
	all := s.domains()
	out := make([]Policy, 0, len(all))
	for _, file := range all {
		out = append(out, f.Policy(file))
	}
	return out
}
