package demo

import (
	"context"
	"encoding/json"
	"fmt"
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

// decoded reads documents of dw's database.
func decoded[T any](docs []json.RawMessage, err error) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("read dw's database: %w", err)
	}
	out := make([]T, len(docs))
	for n, doc := range docs {
		if err := json.Unmarshal(doc, &out[n]); err != nil {
			return nil, fmt.Errorf("read a document of dw's database: %w", err)
		}
	}
	return out, nil
}

// readOutcome reads what dw has recorded; Verified is left to the promise.
func readOutcome(ctx context.Context, dsn string) (outcome, []proposalDoc, error) {
	log, err := app.OpenLog(ctx, dsn)
	if err != nil {
		return outcome{}, nil, fmt.Errorf("open dw's database: %w", err)
	}
	defer log.Close() //nolint:errcheck // only read
	out := outcome{Decisions: []decision{}, Receipts: receiptSpan{Undo: []int64{}}, Errands: []errand{}}
	incidents, err := decoded[incidentDoc](log.IncidentDocuments(ctx))
	if err != nil || len(incidents) == 0 {
		return out, nil, err
	}
	doc := incidents[0]
	out.describe(doc)
	proposals, err := decoded[proposalDoc](log.ProposalDocuments(ctx, doc.ID))
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
	return out, proposals, out.readReceipts(ctx, log, doc.ID)
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
func verifyReceipts(ctx context.Context, dsn, keyFile string) error {
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return fmt.Errorf("read the public key: %w", err)
	}
	log, err := app.OpenLog(ctx, dsn)
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
	log, err := app.OpenLog(ctx, c.store)
	if err != nil {
		return "", fmt.Errorf("open dw's database: %w", err)
	}
	defer log.Close() //nolint:errcheck // only read
	doc, err := log.ProposalDocument(ctx, strings.TrimPrefix(on.key, "proposal/"))
	found, err := decoded[proposalDoc]([]json.RawMessage{doc}, err)
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
