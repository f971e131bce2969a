// Package app is the composition root: it builds every part of dw by hand from
// one configuration and runs them. Tests and the demo start the same parts in
// process.
package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"dw/bot"
	"dw/config"
	"dw/handlers"
	"dw/jobs"
	"dw/lineage/columns"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

// Options are what a process adds to a configuration.
type Options struct {
	LogTo   io.Writer // default: standard error
	Version string
	Crash   func(point string) // named points of the store, for tests; nil in production
	Columns columns.Reader     // reads columns out of the SQL of dbt models; without an engine none are
}

// App is one running dw.
type App struct {
	project   *Project
	log       *slog.Logger
	store     *store.DB
	service   *workflows.Service
	runner    *runner
	receipts  *Log
	redactor  *receipts.Redactor
	client    *bot.Client
	socket    *bot.Socket
	handler   *handlers.Handler
	deliverer *handlers.Deliverer
	jobs      *jobs.Runner
	ticker    *jobs.Ticker
	server    *server
	policies  map[string]workflows.Policy
	emails    map[string]string           // by Slack user id
	names     map[string]workflows.Person // by Slack user id
	team      string                      // the workspace's id
	site      string                      // its address
	pager     *pager                      // nil without PagerDuty
	anchors   *anchors
	selfCheck *selfCheck
	release   func() error  // gives the database back to the next dw
	redraw    chan struct{} // asks for a new graph
	drawn     string        // what the graph was made of, see drawGraph
	columns   columns.Reader
}

// New builds a dw. It asks Slack who the bot is and who the configured people
// are, so wrong tokens and unknown people are found here. Close it also after
// an error of Run; the project is the caller's to close after an error of New.
func New(ctx context.Context, project *Project, o Options) (*App, error) {
	a := &App{
		project: project, log: newLogger(project.Config, o.LogTo), redactor: redactorOf(project.Config), redraw: make(chan struct{}, 1), columns: o.Columns,
	}
	steps := []func() error{
		a.takeStore,
		func() error { return a.openStore(ctx, o) },
		func() error { return a.connectSlack(ctx) },
		a.buildService,
		func() error { return a.buildFaces(o) },
		func() error { return a.recordStart(ctx, o.Version) },
		func() error { return a.service.LoadPolicies(ctx) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, errors.Join(err, a.closeParts())
		}
	}
	return a, nil
}

func newLogger(c *config.Config, to io.Writer) *slog.Logger {
	if to == nil {
		to = os.Stderr
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: redactAttr(redactorOf(c))}
	if c.Log.Format == "text" {
		return slog.New(slog.NewTextHandler(to, options))
	}
	return slog.New(slog.NewJSONHandler(to, options))
}

// openStore opens the database and the signing key, making both at first run.
func (a *App) openStore(ctx context.Context, o Options) error {
	c := a.project.Config
	signer, err := loadSigner(c.Receipts.KeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		signer, err = firstKey(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("receipts.key_file %s: %w", c.Receipts.KeyFile, err)
	}
	if err := writePublicKey(c.Receipts.KeyFile, signer.VerifierKey()); err != nil {
		return err
	}
	a.store, err = store.Open(ctx, c.Store.DSN.Reveal(), store.Options{
		Instance: c.Instance, Signer: &signer, Redactor: a.redactor, Log: a.log, Crash: o.Crash,
		SignerNow: func() (receipts.Signer, error) { return loadSigner(c.Receipts.KeyFile) },
	})
	if err != nil {
		return err
	}
	a.project.metrics.Store(a.store)
	a.receipts = &Log{store: a.store, key: signer.VerifierKey(), instance: c.Instance}
	return nil
}

// firstKey makes the signing key of a database that has no receipts yet. One
// whose key is gone gets no new key, which could not be told from a forger's.
func firstKey(ctx context.Context, c *config.Config) (receipts.Signer, error) {
	db, err := store.OpenReadOnly(ctx, c.Store.DSN.Reveal())
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotDW):
		return receipts.CreateKey(c.Receipts.KeyFile, c.Instance, rand.Reader)
	case err != nil:
		return receipts.Signer{}, fmt.Errorf("is missing, and whether it is new cannot be told: %w", err)
	}
	var head receipts.Head
	err = db.View(ctx, func(tx workflows.ReadTx) (err error) {
		head, err = tx.Head(ctx)
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return receipts.Signer{}, err
	}
	if head.Seq > 0 {
		return receipts.Signer{}, fmt.Errorf("is missing, but %s holds %d receipts that were signed with it; put it back from its copy", store.Shown(c.Store.DSN.Reveal()), head.Seq)
	}
	return receipts.CreateKey(c.Receipts.KeyFile, c.Instance, rand.Reader)
}

// connectSlack asks who the bot is and resolves the configured people.
func (a *App) connectSlack(ctx context.Context) error {
	c := a.project.Config
	client, err := bot.NewClient(c.Slack.BotToken.Reveal(), bot.ClientOptions{APIURL: c.Slack.APIURL})
	if err != nil {
		return err
	}
	a.client = client
	self, err := client.AuthTest(ctx)
	if err != nil {
		return fmt.Errorf("slack.bot_token: %w", err)
	}
	found, err := resolvePeople(ctx, c, client, self.Team)
	if err != nil {
		return err
	}
	if err := refuseApprovers(c, found); err != nil {
		return err
	}
	a.policies, a.emails, a.names, a.site = policies(c, found), found.emails, map[string]workflows.Person{}, self.URL
	a.team = self.Team
	for _, who := range found.known {
		a.names[who.User] = who
	}
	for name, policy := range a.policies {
		if policy.Owner.User == "" && policy.Deputy.User == "" && len(policy.Escalation)+len(policy.Rotas) == 0 {
			return fmt.Errorf("domains.%s: nobody of the chain was found in Slack: %s", name, strings.Join(policy.Unresolved, "; "))
		}
	}
	if err := a.refuseQuorums(ctx); err != nil {
		return err
	}
	return a.buildHandlersIdentity(self)
}

func (a *App) buildHandlersIdentity(self bot.Self) error {
	identity, err := bot.NewIdentity(a.client, self.Team, time.Now)
	if err != nil {
		return err
	}
	a.handler = handlers.New(handlers.Options{
		Replier: a.speaker(), Identity: identity, Graph: a.graph, About: a.about, History: a.history, Due: due, Policy: a.policy,
		Command: a.project.Config.Slack.Command, Zone: a.project.Zone, Now: a.project.Now, Logger: a.log, Receipts: a.receipts,
	})
	return nil
}

// speaker sends messages without secrets.
func (a *App) speaker() handlers.Redacted {
	return handlers.Redacted{Client: a.client, Redactor: a.redactor}
}

func (a *App) policy(domain string) (workflows.Policy, bool) {
	policy, ok := a.policies[domain]
	return policy, ok
}

// allPolicies lists every domain's policy by name.
func (a *App) allPolicies() []workflows.Policy {
	all := make([]workflows.Policy, 0, len(a.policies))
	for _, name := range slices.Sorted(maps.Keys(a.policies)) {
		all = append(all, a.policies[name])
	}
	return all
}

// buildService builds the loop.
func (a *App) buildService() error {
	a.runner = &runner{project: a.project, store: a.store}
	outside, err := a.connect()
	if err != nil {
		return err
	}
	options := workflows.Options{
		Store: a.store, Policies: a.policy, Domains: a.allPolicies, Command: a.project.Config.Slack.Command, Checks: a.runner,
		Investigator: &investigator{project: a.project, probers: outside.probers, changes: a.project.fileChanges},
		Actuators:    outside.actuators, Observers: outside.observers, Readers: outside.readers, Pager: outside.pager, Tickets: outside.tickets, OnCall: outside.oncall, Groups: a.groups(), Author: a.author, Permalink: a.permalink(),
		Now: func() time.Time { return a.project.Now().In(a.project.Zone) }, NewID: newID, NewNonce: newNonce, Log: a.log,
	}
	if err := options.Check(); err != nil {
		return err
	}
	a.service = workflows.NewService(options)
	a.runner.service = a.service
	a.handler.Decider, a.handler.Reader, a.handler.Checker = a.service, a.service, a.runner
	a.handler.Stopper, a.handler.Teacher, a.handler.Policy = a.service, a.service, a.service.Policy
	a.handler.Governor, a.handler.Recorder = a.service, a.service
	a.handler.Delegator = a.service
	a.handler.Requests, a.handler.Pager, a.handler.Tracker = a.service, outside.pager != nil, outside.tickets != nil
	return nil
}

const idLength = 6

// newID makes an id that people can type: INC-7F3K2Q.
func newID(prefix string) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails, by its own documentation
	return strings.ToUpper(prefix) + "-" + base32.StdEncoding.EncodeToString(random[:])[:idLength]
}

// newNonce makes 128 random bits in hex.
func newNonce() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails, by its own documentation
	return hex.EncodeToString(random[:])
}

// buildFaces builds what faces the outside: socket, deliveries, ticker, HTTP.
func (a *App) buildFaces(Options) error {
	c := a.project.Config
	a.deliverer = &handlers.Deliverer{
		Poster: a.speaker(), OpenDM: a.client.OpenDM, Placer: a.service, Loader: a.service,
		Policy: a.service.Policy, Zone: a.project.Zone, Now: a.project.Now, Logger: a.log,
	}
	a.anchors = newAnchors(a)
	a.selfCheck = &selfCheck{app: a, anchors: a.anchors}
	var err error
	a.socket, err = bot.NewSocket(c.Slack.AppToken.Reveal(), bot.SocketOptions{
		APIURL: c.Slack.APIURL, Handler: scrubbed{a}, Log: a.log, Now: time.Now, Rand: randomFraction,
		Connections: c.Slack.Connections,
	})
	if err != nil {
		return err
	}
	a.jobs, err = jobs.New(jobs.Options{
		DB: a.store.Writer(), Postgres: a.store.Postgres(), Claim: a.store.Claim, Now: time.Now, Log: a.log, OnDead: a.undelivered,
		Deliverers:        map[string]jobs.Deliverer{"slack.": a.deliverer, "anchor.": a.anchors, "": performer{a.service, a.selfCheck}},
		FetchPollInterval: c.Jobs.Poll.Or(500 * time.Millisecond), JobTimeout: c.Jobs.Timeout.Or(time.Minute),
		RescueStuckJobsAfter: c.Jobs.RescueAfter.Or(2 * time.Minute), MaxBackoff: time.Minute,
	})
	if err != nil {
		return err
	}
	a.ticker = &jobs.Ticker{Store: a.store, Fire: a.service.Fire, Now: a.project.Now, Every: c.Jobs.Tick.Or(time.Second), Log: a.log}
	a.server, err = newServer(a)
	return err
}

// performer hands effects that are not Slack's to the service.
type performer struct {
	service workflows.Proposer
	log     *selfCheck
}

// Deliver meets jobs.Deliverer.
func (p performer) Deliver(ctx context.Context, e workflows.Effect) error {
	if err := p.log.refuse(e); err != nil {
		return err
	}
	return p.service.Perform(ctx, e)
}

// undelivered is told of every effect that is given up. It is loud in the log;
// /healthz turns red.
func (a *App) undelivered(_ context.Context, e workflows.Effect, cause error) {
	a.server.dead.Add(1)
	a.log.Error("an effect was given up", "kind", e.Kind, "key", e.Key, "error", cause)
}

// recordStart writes the receipts of this start: the key at the first one, and
// what configuration is in force.
func (a *App) recordStart(ctx context.Context, version string) error {
	content, err := os.ReadFile(a.project.Config.File())
	if err != nil {
		return fmt.Errorf("hash the configuration: %w", err)
	}
	sum := sha256.Sum256(content)
	now := a.project.Now()
	err = a.store.Update(ctx, func(tx workflows.Tx) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		restored, err := a.restoredReceipt(head, now)
		if err != nil {
			return err
		}
		inForce, err := tx.InForce(ctx)
		if err != nil {
			return err
		}
		drafts := []receipts.Draft{a.configReceipt(hex.EncodeToString(sum[:]), version, workflows.FileChanges(inForce, a.allPolicies(), now), now)}
		if err := errors.Join(a.refuseShrunk(ctx, tx, head), a.refuseHalfRotated(ctx, tx, head)); err != nil {
			return err
		}
		if head.Seq == 0 {
			drafts = append([]receipts.Draft{a.keyReceipt(now)}, drafts...)
		}
		for _, draft := range append(restored, drafts...) {
			if _, err := tx.AppendReceipt(ctx, draft); err != nil {
				return err
			}
		}
		if len(restored) == 0 {
			return nil
		}
		return workflows.LowerRestored(ctx, tx, a.allPolicies(), now)
	})
	if err != nil {
		return err
	}
	return a.forgetRestored()
}

// refuseShrunk keeps dw from writing on a log from which receipts were cut: what
// it wrote would hide the gap.
func (a *App) refuseShrunk(ctx context.Context, tx workflows.ReceiptReads, head receipts.Head) error {
	note, err := tx.Checkpoint(ctx)
	if err != nil || note == nil {
		return err
	}
	signed, err := receipts.OpenCheckpoint(note, a.receipts.key)
	if err != nil {
		return fmt.Errorf("the newest checkpoint was not signed with receipts.key_file: %w; put the key of this database back", err)
	}
	if head.Seq < signed.Size {
		return fmt.Errorf("the log holds %d receipts and its newest checkpoint says %d: receipts were cut off. Keep this database as it is for those who look into it, and start dw on a whole copy", head.Seq, signed.Size)
	}
	return nil
}

func (a *App) keyReceipt(now time.Time) receipts.Draft {
	return receipts.Draft{
		Kind: receipts.KindKeyCreated, Actor: receipts.Actor{Kind: receipts.ActorDW}, At: now,
		Body: receipts.Object{"public_key": a.receipts.key},
	}
}

// configReceipt says what the file says, what of it changed, and what is in
// force. It holds governed terms and people only, no secret.
func (a *App) configReceipt(hash, version string, changes []workflows.FileChange, now time.Time) receipts.Draft {
	domains := receipts.Object{}
	for _, change := range changes {
		policy := a.policies[change.Domain]
		domains[change.Domain] = receipts.Object{
			"level": change.InForce.Level.String(), "file_level": policy.Level.String(), "policy_version": change.InForce.Version, "changes": change.Document(),
			"owner": policy.Owner.User, "deputy": policy.Deputy.User, "escalation": users(policy.Escalation), "cc": users(policy.CC),
			"on_call": rotas(policy.Rotas), "unresolved": strings.Join(policy.Unresolved, "; "),
		}
	}
	return receipts.Draft{
		Kind: receipts.KindConfigLoaded, Actor: receipts.Actor{Kind: receipts.ActorDW}, At: now,
		Subject: []receipts.Subject{{Name: "config", Digest: hash}},
		Body:    receipts.Object{"version": version, "domains": domains},
	}
}

func users(people []workflows.Person) []string {
	out := make([]string, len(people))
	for i, p := range people {
		out[i] = p.User
	}
	return out
}

func rotas(links []workflows.RotaLink) []string {
	out := make([]string, len(links))
	for i, l := range links {
		out[i] = string(l.Role) + ": " + l.String()
	}
	return out
}

// Address is where dw's own HTTP listener is bound, host:port.
func (a *App) Address() string { return a.server.listener.Addr().String() }

// Close closes what New opened, and the project.
func (a *App) Close() error {
	return errors.Join(a.closeParts(), a.project.Close())
}

// closeParts closes what was built so far.
func (a *App) closeParts() error {
	if a.handler != nil {
		a.handler.Close()
	}
	if a.client != nil {
		a.client.Close()
	}
	if a.server != nil {
		// Closed already where Run has ended.
		_ = a.server.listener.Close()
	}
	return a.closeStore()
}

func (a *App) closeStore() error {
	var errs []error
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	if a.release != nil {
		errs = append(errs, a.release())
	}
	return errors.Join(errs...)
}
