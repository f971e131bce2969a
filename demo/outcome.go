package demo

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"dw/app"
)

// outcome is the last line of the timeline as JSON. Times are RFC 3339 in UTC.
type outcome struct {
	Incident  *string     `json:"incident"`
	Cause     *cause      `json:"cause"`
	Blast     *blast      `json:"blast_radius"`
	Decisions []decision  `json:"decisions"`
	Receipts  receiptSpan `json:"receipts"`
	Verified  bool        `json:"verified"`
	Errands   []errand    `json:"errands"`
}

type cause struct {
	ID       string            `json:"id"`
	Segment  map[string]string `json:"segment"`
	Onset    time.Time         `json:"onset"`
	Evidence []evidence        `json:"evidence"`
}

type evidence struct {
	System string    `json:"system"`
	Value  string    `json:"value"`
	At     time.Time `json:"at"`
}

type blast struct {
	First  *harmed    `json:"first_harm"`
	Assets []affected `json:"assets"`
}

type harmed struct {
	Asset string    `json:"asset"`
	At    time.Time `json:"at"`
	Count int64     `json:"count,omitempty"`
	Unit  string    `json:"unit,omitempty"`
}

type affected struct {
	ID       string     `json:"id"`
	Kind     string     `json:"kind"`
	Owner    string     `json:"owner"`
	NextRead *time.Time `json:"next_read"`
}

type decision struct {
	Proposal string    `json:"proposal"`
	Hash     string    `json:"hash"`
	Actor    string    `json:"actor"`
	User     string    `json:"user"`
	Verdict  string    `json:"verdict"`
	At       time.Time `json:"at"`
}

// receiptSpan names receipts of the incident by their numbers; Undo are those
// that record that a step was taken back.
type receiptSpan struct {
	First int64   `json:"first"`
	Last  int64   `json:"last"`
	Undo  []int64 `json:"undo"`
}

// errand is the outcome of a call to the pager or the tracker, by its receipt.
type errand struct {
	Receipt int64  `json:"receipt"`
	Errand  string `json:"errand"` // "page.note/asked-…"
	System  string `json:"system"`
	State   string `json:"state"`
	Ref     string `json:"ref"` // id that the system gave it
}

// incidentDoc is what is read of an incident's document in dw's database.
type incidentDoc struct {
	ID        string    `json:"id"`
	State     string    `json:"state"`
	Onset     time.Time `json:"onset"`
	Diagnosis *struct {
		Segment  map[string]string `json:"segment"`
		Onset    time.Time         `json:"onset"`
		Evidence []evidence        `json:"evidence"`
		Causes   []struct {
			ID       string            `json:"id"`
			Segment  map[string]string `json:"segment"`
			Evidence []evidence        `json:"evidence"`
		} `json:"causes"`
	} `json:"diagnosis"`
	Blast *struct {
		Consumers []affected `json:"consumers"`
		First     *struct {
			affected
			AlreadyHarmedAt *time.Time `json:"already_harmed_at"`
		} `json:"first"`
	} `json:"blast"`
	Harm *struct {
		Count int64  `json:"count"`
		Unit  string `json:"unit"`
	} `json:"harm"`
}

// proposalDoc is what is read of a proposal's document.
type proposalDoc struct {
	ID    string `json:"id"`
	Key   string `json:"key"`
	Hash  string `json:"hash"`
	State string `json:"state"`
	Plan  []struct {
		Diff string `json:"diff"`
	} `json:"plan"`
	Decisions []struct {
		By struct {
			User string `json:"user"`
			Name string `json:"name"`
		} `json:"by"`
		Verdict string    `json:"verdict"`
		Hash    string    `json:"hash"`
		At      time.Time `json:"at"`
	} `json:"decisions"`
}

// ledger is dw's database, read only.
type ledger struct {
	path string
	db   *sql.DB
}

func openLedger(path string) (*ledger, error) {
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String()+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, fmt.Errorf("open dw's database: %w", err)
	}
	return &ledger{path: path, db: db}, nil
}

// documents decodes every document that a query answers.
func documents[T any](ctx context.Context, l *ledger, query string, args ...any) (out []T, err error) {
	rows, err := l.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read dw's database: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("read dw's database: %w", err)
		}
		var doc T
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			return nil, fmt.Errorf("read a document of dw's database: %w", err)
		}
		out = append(out, doc)
	}
	return out, rows.Err()
}

// readOutcome reads what dw has recorded; Verified is left to the promise.
func readOutcome(ctx context.Context, path string) (outcome, []proposalDoc, error) {
	l, err := openLedger(path)
	if err != nil {
		return outcome{}, nil, err
	}
	defer l.db.Close() //nolint:errcheck // only read
	out := outcome{Decisions: []decision{}, Receipts: receiptSpan{Undo: []int64{}}, Errands: []errand{}}
	incidents, err := documents[incidentDoc](ctx, l, "SELECT doc FROM incidents ORDER BY opened_at DESC")
	if err != nil || len(incidents) == 0 {
		return out, nil, err
	}
	doc := incidents[0]
	out.describe(doc)
	proposals, err := documents[proposalDoc](ctx, l, "SELECT doc FROM proposals WHERE incident = ? ORDER BY created_at, id", doc.ID)
	if err != nil {
		return out, nil, err
	}
	for _, p := range proposals {
		for _, d := range p.Decisions {
			who := d.By.Name
			if who == "" {
				who = d.By.User
			}
			out.Decisions = append(out.Decisions, decision{Proposal: p.ID, Hash: d.Hash, Actor: who, User: d.By.User, Verdict: d.Verdict, At: d.At})
		}
	}
	return out, proposals, out.readReceipts(ctx, path, doc.ID)
}

// describe fills in the incident, its cause and its blast radius.
func (o *outcome) describe(doc incidentDoc) {
	o.Incident = &doc.ID
	if d := doc.Diagnosis; d != nil && len(d.Causes) > 0 {
		top := d.Causes[0]
		o.Cause = &cause{ID: top.ID, Segment: top.Segment, Onset: d.Onset, Evidence: once(append(top.Evidence, d.Evidence...))}
		if len(top.Segment) == 0 {
			o.Cause.Segment = d.Segment
		}
		if o.Cause.Segment == nil {
			o.Cause.Segment = map[string]string{}
		}
	}
	if doc.Blast == nil {
		return
	}
	o.Blast = &blast{Assets: doc.Blast.Consumers}
	if first := doc.Blast.First; first != nil {
		o.Blast.First = &harmed{Asset: first.ID}
		if at := first.NextRead; at != nil {
			o.Blast.First.At = *at
		}
		if at := first.AlreadyHarmedAt; at != nil {
			o.Blast.First.At = *at
		}
		if doc.Harm != nil {
			o.Blast.First.Count, o.Blast.First.Unit = doc.Harm.Count, doc.Harm.Unit
		}
	}
}

// once leaves out evidence that stands in several lists, and writes its times in
// UTC.
func once(all []evidence) []evidence {
	var out []evidence
	for _, e := range all {
		e.At = e.At.UTC()
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// verifyReceipts checks every receipt against the public key in the folder.
func verifyReceipts(ctx context.Context, path, keyFile string) error {
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return fmt.Errorf("read the public key: %w", err)
	}
	log, err := app.OpenLog(ctx, path)
	if err != nil {
		return fmt.Errorf("open the receipts: %w", err)
	}
	defer log.Close() //nolint:errcheck // only read
	report, err := log.Verify(ctx, strings.TrimSpace(string(key)))
	if err != nil {
		return fmt.Errorf("verify the receipts: %w", err)
	}
	if report.Code != 0 {
		return fmt.Errorf("the receipts do not verify: %s", report)
	}
	return nil
}

// cutDiff says that a card shows only a part of a diff.
const cutDiff = "more lines: dw incident shows them all"

// wholeDiff is the diff of a card; a card too small for it is made up for from
// what dw has recorded.
func (c *conductor) wholeDiff(ctx context.Context, on card) (string, error) {
	if on.diff != "" && !strings.Contains(on.diff, cutDiff) {
		return on.diff, nil
	}
	l, err := openLedger(c.path("dw.db"))
	if err != nil {
		return "", err
	}
	defer l.db.Close() //nolint:errcheck // only read
	found, err := documents[proposalDoc](ctx, l, "SELECT doc FROM proposals WHERE id = ?", strings.TrimPrefix(on.key, "proposal/"))
	if err != nil {
		return "", err
	}
	for _, p := range found {
		for _, step := range p.Plan {
			if step.Diff != "" {
				return step.Diff, nil
			}
		}
	}
	return "", fmt.Errorf("card %q has no diff", on.header)
}
