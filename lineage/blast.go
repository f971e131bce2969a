package lineage

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// BlastOptions is what a blast radius depends on besides the graph.
type BlastOptions struct {
	Now  time.Time // the time of the question; required
	From time.Time // since when the data is bad; zero means Now
	Due  DueFunc   // reads schedules; required
}

// BlastRadius is what lies below an asset, and who is harmed first if it is
// wrong. Times are in UTC.
type BlastRadius struct {
	Subject AssetID   `json:"subject"`
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	From    time.Time `json:"from"`
	// Consumers holds everything below the subject: those with a known harm by
	// its time and then by score, then those without a known schedule, then what
	// only carries the data, then what is paused or held back by a pause.
	Consumers []Consumer `json:"consumers"`
	// First is the first harm, which may lie in the past; nil if none is known.
	First *Consumer `json:"first"`
	// Next is the first harm still to come, the deadline; nil if none is known.
	Next     *Consumer    `json:"next"`
	Counts   map[Kind]int `json:"counts"`
	Unknowns []string     `json:"unknowns"` // what is not known, in sentences
	// Score is that of the highest consumer, never a sum: 300 idle views do not
	// outrank one job that moves money.
	Score     int     `json:"score"`
	ScoreLine string  `json:"score_line"`
	ScoreOf   AssetID `json:"score_of"` // the consumer that has the score
}

// BlastRadius finds what lies below an asset and when each consumer first reads
// data that is bad in the asset since opts.From. An id that the graph does not
// hold is an *UnknownAssetError; a schedule that cannot be read is no error,
// the answer says so.
func (g *Graph) BlastRadius(id AssetID, opts BlastOptions) (BlastRadius, error) {
	n, err := g.node(id)
	if err != nil {
		return BlastRadius{}, err
	}
	if opts, err = opts.checked(); err != nil {
		return BlastRadius{}, fmt.Errorf("blast radius of %s: %w", id, err)
	}
	b := BlastRadius{
		Subject: id, Name: g.assets[n].Name, At: opts.Now, From: opts.From,
		Consumers: []Consumer{}, Counts: map[Kind]int{}, Unknowns: []string{},
	}
	s := g.spread(n, opts.From, opts.Now, opts.Due)
	for _, node := range s.nearest.order {
		c := g.consumer(node, s, opts)
		b.Consumers = append(b.Consumers, c)
		b.Counts[c.Kind]++
	}
	slices.SortFunc(b.Consumers, compareHarm)
	b.rank()
	b.Unknowns = append(b.Unknowns, unknowns(b.Consumers)...)
	return b, nil
}

// checked fills in the default and refuses what gives no answer.
func (o BlastOptions) checked() (BlastOptions, error) {
	o.Now = o.Now.UTC()
	switch {
	case o.Now.IsZero():
		return o, errors.New("the time of the question is not given")
	case o.Due == nil:
		return o, errors.New("no function to read schedules is given")
	case o.From.IsZero():
		o.From = o.Now
	}
	o.From = o.From.UTC()
	return o, nil
}

// compareHarm orders consumers: see BlastRadius.Consumers.
func compareHarm(a, b Consumer) int {
	atA, _ := a.HarmAt()
	atB, _ := b.HarmAt()
	return cmp.Or(
		cmp.Compare(a.class(), b.class()),
		atA.Compare(atB),
		cmp.Compare(b.Score, a.Score),
		cmp.Compare(b.Readers, a.Readers),
		cmp.Compare(a.Depth, b.Depth),
		cmp.Compare(a.ID, b.ID),
	)
}

// class is the place of a consumer among the four groups of Consumers.
func (c Consumer) class() int {
	_, known := c.HarmAt()
	switch {
	case c.Paused || c.HeldBy != "":
		return 3
	case c.Carries:
		return 2
	case known:
		return 0
	}
	return 1
}

// rank picks the first harm, the next and the score. Only a radius without a
// single use is scored by what carries the data, and one that pauses hold back
// altogether is not scored.
func (b *BlastRadius) rank() {
	var top *Consumer
	for i := range b.Consumers {
		c := &b.Consumers[i]
		if c.class() == 0 {
			if b.First == nil {
				b.First = copyOf(c)
			}
			if c.NextRead != nil && (b.Next == nil || c.NextRead.Before(*b.Next.NextRead)) {
				b.Next = copyOf(c)
			}
		}
		if c.class() < 3 && (top == nil || (c.Score > top.Score && c.Carries == top.Carries)) {
			top = c
		}
	}
	if top != nil {
		b.Score, b.ScoreLine, b.ScoreOf = top.Score, top.ScoreLine, top.ID
	}
}

func copyOf(c *Consumer) *Consumer {
	out := *c
	return &out
}

// unknowns says in sentences what the answer leaves open.
func unknowns(consumers []Consumer) []string {
	var out []string
	stages := 0
	held := map[AssetID]int{}
	for _, c := range consumers {
		switch {
		case c.HeldBy != "":
			held[c.HeldBy]++
		case c.Unknown && c.Carries:
			stages++
		case c.Unknown:
			out = append(out, fmt.Sprintf("%s (%s): %s", c.Name, c.Kind, c.NextReadWhy))
		case c.Paused:
			out = append(out, fmt.Sprintf("%s (%s) is not counted: %s", c.Name, c.Kind, c.NextReadWhy))
		}
	}
	if stages > 0 {
		out = append(out, plural(stages, "stage")+" in between without a known schedule, counted as immediate")
	}
	for _, by := range sortedKeys(held) {
		out = append(out, plural(held[by], "asset")+" not counted while "+string(by)+" is paused")
	}
	return out
}

// Snapshot returns the answer as JSON. The same answer gives the same bytes.
func (b BlastRadius) Snapshot() []byte {
	text, err := json.Marshal(b)
	if err != nil {
		// Only a time outside the years 0 to 9999 cannot be written.
		return []byte(`{"error":` + strconv.Quote(err.Error()) + `}`)
	}
	return text
}

// Hash returns the SHA-256 of Snapshot, for a proposal to name what its
// approver was shown.
func (b BlastRadius) Hash() [32]byte { return sha256.Sum256(b.Snapshot()) }
