package lineage

import "time"

// Consumer is one asset below the subject of a blast radius. Times are in UTC.
type Consumer struct {
	ID    AssetID `json:"id"`
	Kind  Kind    `json:"kind"`
	Name  string  `json:"name"`
	Owner string  `json:"owner"` // the first owner, empty where none is declared
	// NextRead is when it next takes in the bad data: nil where no schedule is
	// known, where it is paused, and where a pause keeps the data from it.
	NextRead    *time.Time `json:"next_read"`
	NextReadWhy string     `json:"next_read_why"`
	Zone        string     `json:"zone,omitempty"` // the zone of its own clock, empty means UTC
	// AlreadyHarmedAt is its first scheduled read between From and Now.
	AlreadyHarmedAt *time.Time `json:"already_harmed_at,omitempty"`
	// Carries says that it only passes data on: bad rows in it harm nobody until
	// one of the consumers behind it reads them. It is never the first harm.
	Carries   bool      `json:"carries"`
	Moves     string    `json:"moves"` // the money class, empty where none is declared
	MovesWhy  string    `json:"moves_why"`
	Readers   int       `json:"readers"`
	Depth     int       `json:"depth"` // the fewest edges from the subject
	Path      []AssetID `json:"path"`  // the way of the first arrival, subject and consumer included
	Score     int       `json:"score"` // 0 to 100
	ScoreLine string    `json:"score_line"`
	Paused    bool      `json:"paused"`
	HeldBy    AssetID   `json:"held_by,omitempty"` // the paused asset that keeps the data from it
	Unknown   bool      `json:"unknown"`           // no schedule is known
	Harm      *Harm     `json:"harm,omitempty"`
}

// HarmAt returns when bad data first harms the consumer: its first read, past
// or to come. It is false for one that only carries, and where no time is
// known.
func (c Consumer) HarmAt() (time.Time, bool) {
	switch {
	case c.Carries:
		return time.Time{}, false
	case c.AlreadyHarmedAt != nil:
		return *c.AlreadyHarmedAt, true
	case c.NextRead != nil:
		return *c.NextRead, true
	}
	return time.Time{}, false
}

// carries says that an asset is a stage and not a use: a table or a job that
// feeds others, and declares nothing that a person would miss.
func (g *Graph) carries(n int32) bool {
	a := g.assets[n]
	if a.Moves != "" || a.SLA != nil || a.Harm != nil || a.Readers > 0 {
		return false
	}
	switch a.Kind {
	case KindDashboard, KindExplore, KindExposure:
		return false
	case KindJob:
		return g.down.start[n] < g.down.start[n+1]
	}
	return true
}

// consumer describes one node below the subject.
func (g *Graph) consumer(n int32, s spread, opts BlastOptions) Consumer {
	a := g.assets[n]
	nodes, edges := s.path(n)
	c := Consumer{
		ID: a.ID, Kind: a.Kind, Name: a.Name, Owner: a.FirstOwner(),
		Carries: g.carries(n), Moves: a.Moves, MovesWhy: movesWhy(a), Readers: a.Readers,
		Depth: int(s.nearest.depth[n]), Paused: a.Paused, Harm: a.Harm,
	}
	for _, node := range nodes {
		c.Path = append(c.Path, g.assets[node].ID)
	}
	if by, held := s.held[n]; held {
		c.HeldBy = g.pausedBefore(by)
		c.NextReadWhy = "not reached while " + string(c.HeldBy) + " is paused"
	} else {
		g.setReads(&c, n, s.arrived[n], opts)
	}
	way := make([]Edge, len(edges))
	for i, e := range edges {
		way[i] = g.edges[e]
	}
	result := score([]part{movesPart(a), timePart(c, opts.Now), readersPart(a.Readers), usePart(way)}, sureOf(way, opts.Now))
	c.Score, c.ScoreLine = result.points, result.line
	return c
}

// FirstOwner returns the owner to ask first, or "" where none is declared.
func (a Asset) FirstOwner() string {
	if len(a.Owners) == 0 {
		return ""
	}
	return a.Owners[0].Value
}

// pausedBefore names what is paused at a hop: the hop, or the job that builds
// it.
func (g *Graph) pausedBefore(hop int32) AssetID {
	if a := g.assets[hop]; a.Paused {
		return a.ID
	}
	for _, job := range g.builders(hop) {
		if a := g.assets[job]; a.Paused {
			return a.ID
		}
	}
	return g.assets[hop].ID
}
