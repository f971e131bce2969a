package workflows

import (
	"context"
	"fmt"
)

// Governor changes and shows what is in force.
type Governor interface {
	SetLevel(ctx context.Context, r PolicyRequest) (Answer, error)
	AskPolicy(ctx context.Context, r PolicyRequest) (Answer, error)
	Governance(ctx context.Context) ([]DomainPolicy, error)
}

// Recorder reads the record of a domain.
type Recorder interface {
	Record(ctx context.Context, domain string) (Record, error)
}

var (
	_ Governor = (*Service)(nil)
	_ Recorder = (*Service)(nil)
)

// DomainPolicy is how one domain stands.
type DomainPolicy struct {
	Policy  Policy // in force; Held says what the file asks for besides
	SetBy   string // who set the level, how and when
	Waiting string // id of the policy change that waits, if any
	Damaged bool   // what is in force cannot be read
}

// Governance says what is in force in every domain, read now.
func (s *Service) Governance(ctx context.Context) ([]DomainPolicy, error) {
	var out []DomainPolicy
	err := s.store.View(ctx, func(tx ReadTx) error {
		f, err := tx.InForce(ctx)
		if err != nil {
			return err
		}
		waiting, err := tx.ProposalsIn(ctx, Waiting)
		if err != nil {
			return err
		}
		out = nil
		for _, file := range s.domains() {
			d := DomainPolicy{Policy: f.Policy(file), Damaged: f.Damaged}
			if st, known := f.Domains[file.Domain]; known {
				d.SetBy = st.setBy(s.now())
			}
			for _, p := range waiting {
				if p.Change != nil && p.Change.Kind == ChangePolicy && p.Domain == file.Domain {
					d.Waiting = p.ID
				}
			}
			out = append(out, d)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what is in force: %w", err)
	}
	return out, nil
}

// Record counts the receipts about one domain. It reads the whole log.
func (s *Service) Record(ctx context.Context, domain string) (Record, error) {
	var r Record
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		r, err = RecordOf(ctx, tx, domain, s.now())
		return err
	})
	if err != nil {
		return Record{}, fmt.Errorf("read the record of %s: %w", domain, err)
	}
	return r, nil
}
