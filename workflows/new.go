package workflows

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"dw/diagnosis"
)

// Options are the parts of a Service. All are needed but Actuators, Observers,
// Readers, Pager, Tickets, OnCall, Groups, Author, Permalink and Log. Now tells dw's time; NewID makes an id that starts with prefix;
// NewNonce makes 128 random bits in hex.
type Options struct {
	Store        Store
	Policies     func(domain string) (Policy, bool)
	Domains      func() []Policy // every policy, in the order of their names
	Command      string          // the slash command that texts name, "/dw"
	Checks       CheckRunner
	Investigator Investigator
	Actuators    map[string]Actuator // by Action.System
	Observers    []Observer
	Readers      []FactReader
	Pager        Courier                         // nil: nobody is paged
	Tickets      Courier                         // nil: no tickets
	OnCall       Pager                           // nil: nobody is known to be on call
	Groups       Groups                          // nil: no user group is read
	Author       func(who string) (Person, bool) // whom the configuration ties to an e-mail or Slack id; nil: nobody
	Permalink    func(MessageRef) string         // address of a message for people; nil: no links
	Now          func() time.Time
	NewID        func(prefix string) string
	NewNonce     func() string
	Log          *slog.Logger
}

// Service is the loop. It is a Decider, a Proposer, a Reader and a Placer, and
// safe for concurrent use. Every method commits one transaction after the
// outside calls that it needs, never around them.
type Service struct {
	store        Store
	policies     func(string) (Policy, bool)
	domains      func() []Policy
	command      string
	checks       CheckRunner
	investigator Investigator
	actuators    map[string]Actuator
	observers    []Observer
	readers      []FactReader
	pager        Courier
	tickets      Courier
	oncall       Pager
	groups       Groups
	author       func(string) (Person, bool)
	permalink    func(MessageRef) string
	now          func() time.Time
	newID        func(string) string
	newNonce     func() string
	log          *slog.Logger
	started      string // id of this process, in the keys of its repaints

	ruled atomic.Pointer[InForce] // as last read; what decides is read in its transaction

	mu        sync.Mutex
	launching map[StepRef]bool
	carrying  map[ErrandRef]bool // errands being carried by this process
}

// Placer records where a card stands in Slack.
type Placer interface {
	PlaceCard(ctx context.Context, id string, at MessageRef) error
}

var (
	_ Decider  = (*Service)(nil)
	_ Proposer = (*Service)(nil)
	_ Reader   = (*Service)(nil)
	_ Placer   = (*Service)(nil)
)

// ErrOptions says that a Service lacks a part.
var ErrOptions = errors.New("incomplete options")

// NewService builds the loop from complete options; Options.Check tells whether
// they are.
func NewService(o Options) *Service {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		store: o.Store, policies: o.Policies, domains: o.Domains, command: o.Command, checks: o.Checks, investigator: o.Investigator,
		actuators: o.Actuators, observers: o.Observers, readers: o.Readers, pager: o.Pager, tickets: o.Tickets, oncall: o.OnCall, groups: o.Groups, author: o.Author, permalink: o.Permalink,
		now: o.Now, newID: o.NewID, newNonce: o.NewNonce, log: o.Log,
		started: o.NewID("start"), launching: map[StepRef]bool{}, carrying: map[ErrandRef]bool{},
	}
}

// Check returns ErrOptions where a needed part is missing.
func (o Options) Check() error {
	parts := []struct {
		name   string
		absent bool
	}{
		{"Store", o.Store == nil},
		{"Policies", o.Policies == nil},
		{"Domains", o.Domains == nil},
		{"Checks", o.Checks == nil},
		{"Investigator", o.Investigator == nil},
		{"Now", o.Now == nil},
		{"NewID", o.NewID == nil},
		{"NewNonce", o.NewNonce == nil},
	}
	var err error
	for _, part := range parts {
		if part.absent {
			err = errors.Join(err, fmt.Errorf("%w: %s is needed", ErrOptions, part.name))
		}
	}
	return err
}

// policy returns the domain's policy as it is in force, to the knowledge of this
// process; a domain without one is only observed, the shipped default.
func (s *Service) policy(domain string) Policy {
	return s.policyUnder(s.known(), domain)
}

func (s *Service) policyUnder(f InForce, domain string) Policy {
	if p, found := s.policies(domain); found {
		return f.Policy(p)
	}
	return Policy{Domain: domain, Level: L1Observe}
}

func (s *Service) terms(domain string) Terms {
	_, opened := s.policies(domain)
	return Terms{Policy: s.policy(domain), CanObserve: s.canObserve, Opened: opened}
}

// termsIn are the terms of a transaction: with its stop and its policy in force.
func (s *Service) termsIn(w *work, domain string) Terms {
	_, opened := s.policies(domain)
	return Terms{Policy: s.policyUnder(w.inForce, domain), CanObserve: s.canObserve, Stopped: w.stop.On, Opened: opened}
}

func (s *Service) canObserve(a diagnosis.Action) bool {
	_, found := s.observer(a)
	return found
}

func (s *Service) observer(a diagnosis.Action) (Observer, bool) {
	for _, o := range s.observers {
		if o.Known(a) {
			return o, true
		}
	}
	return nil, false
}
