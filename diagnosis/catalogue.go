package diagnosis

// Identifiers of the causes. They stand in receipts and never change.
const (
	CauseMissingWireFormat  = "missing_wire_format"
	CauseMissingFeedSegment = "missing_feed_segment"
	CauseLateLoad           = "late_load"
)

// Need says what happens to a cause when one of its conditions does not hold.
type Need int

// The needs of a condition.
const (
	Must  Need = iota // unknown: the cause is not named; false: it is rejected
	Want              // unknown: said as missing; false: the cause is rejected
	Helps             // only adds to the score
)

// Condition is one part of a cause's signature.
type Condition struct {
	Predicate string // a name that predicates knows
	Need      Need
	Weight    float64 // added to the score where it holds
}

// WantedFact is evidence that would settle a cause further.
type WantedFact struct {
	System string // a probe of this system satisfies it
	Text   string // what to say when there is none
}

// CauseClass is one entry of the catalogue: data, filled in from the estate.
// Texts may use {segment}, {topic}, {dead_letter}, {rows}, {onset}, {subject},
// {pipeline} and {file}.
type CauseClass struct {
	ID      string
	Title   string
	Why     string
	Verdict string
	Prior   float64 // log-odds before any evidence
	Late    bool    // the rows are late, not lost
	AtFeed  bool    // it acts at the pipeline that writes to the topic, and began with the first dead-letter row
	Signs   []Condition
	Wanted  []WantedFact
	Plan    []ProposalTemplate
}

// ProposalTemplate is a proposal that a cause asks for. Steps name builders that
// fill them from the estate.
type ProposalTemplate struct {
	Key   string
	Title string
	Steps []string
	After []string
	Holds bool // one proposal for each job that moves money on the rows; Steps is empty
}

// holdMoney is asked first wherever rows are lost.
func holdMoney() ProposalTemplate {
	return ProposalTemplate{Key: "hold", Title: "Hold what moves money on these rows", Holds: true}
}

// Catalogue returns the causes that dw can tell apart.
func Catalogue() []CauseClass {
	return []CauseClass{missingWireFormat(), missingFeedSegment(), lateLoad()}
}

func missingWireFormat() CauseClass {
	return CauseClass{
		ID:      CauseMissingWireFormat,
		Title:   "Records produced without the schema registry's wire format",
		Why:     "{file} writes to {topic} without schema_registry_encode, and {topic} takes only values in the wire format, so those records went to {dead_letter}.",
		Verdict: "Since {onset} the records of {segment} reach {topic} without the wire format: {rows} rows are in {dead_letter} instead of {subject}, so they can be recovered.",
		Prior:   -1,
		AtFeed:  true,
		Signs: []Condition{
			{Predicate: "topic_takes_wire_format", Need: Must, Weight: 0.5},
			{Predicate: "dead_letter_growing", Need: Must, Weight: 1.5},
			{Predicate: "segment_missing", Need: Want, Weight: 1},
			{Predicate: "pipeline_without_encoder", Need: Want, Weight: 2},
			{Predicate: "values_without_header", Need: Want, Weight: 1},
			{Predicate: "change_before_onset", Need: Helps},
		},
		Wanted: []WantedFact{
			{System: "metrics", Text: "metric redpanda_iceberg_translation_invalid_records not read: no metrics connection configured"},
		},
		Plan: []ProposalTemplate{
			holdMoney(),
			{Key: "change", Title: "Encode the records before the output", Steps: []string{"encode_before_output"}},
			{
				Key: "recover", Title: "Recover the dead-letter rows, rebuild and verify", After: []string{"change"},
				Steps: []string{"union_dead_letter", "rebuild", "verify"},
			},
		},
	}
}

func missingFeedSegment() CauseClass {
	return CauseClass{
		ID:      CauseMissingFeedSegment,
		Title:   "The feed of one segment stopped",
		Why:     "{segment} is missing while the other elements are on their baseline.",
		Verdict: "Since {onset} the rows of {segment} are missing from {subject} while the rest is on its baseline: its feed or producer stopped, as far as can be told. Ask the producer of {segment}.",
		Prior:   -0.5,
		Signs: []Condition{
			{Predicate: "segment_missing", Need: Must, Weight: 1.5},
			{Predicate: "dead_letter_asked_since", Need: Must},
			{Predicate: "dead_letter_empty", Need: Want, Weight: 1},
			{Predicate: "load_not_late", Need: Want},
			{Predicate: "change_before_onset", Need: Helps},
		},
		Plan: []ProposalTemplate{holdMoney()},
	}
}

func lateLoad() CauseClass {
	return CauseClass{
		ID:      CauseLateLoad,
		Title:   "The load is late",
		Why:     "Nothing new has arrived in any segment, and no row waits in a dead letter: the rows are late, as far as can be told, and not lost.",
		Verdict: "{subject} is late since {onset}: nothing new has arrived, no single segment explains it and no row was rejected, so nothing is known to be lost. No change is proposed.",
		Prior:   -0.5,
		Late:    true,
		Signs: []Condition{
			{Predicate: "load_late", Need: Must, Weight: 2},
			{Predicate: "dead_letter_empty", Need: Want, Weight: 0.5},
			{Predicate: "no_segment_missing", Need: Want, Weight: 0.5},
		},
	}
}

// Hypothesis is something else that a person would think of, with the
// predicate that disproves it. It is only shown as rejected.
type Hypothesis struct {
	Title    string
	Disproof string // a name that predicates knows; its sentence is the disproof
}

// hypotheses returns what is ruled out by name where the facts allow it.
func hypotheses() []Hypothesis {
	return []Hypothesis{
		{Title: "A build or its tests failed", Disproof: "build_passed"},
		{Title: "All segments fell together: load, scheduler or warehouse", Disproof: "others_normal"},
		{Title: "Keys are repeated or lost in the model", Disproof: "keys_unique"},
		{Title: "The model itself was changed", Disproof: "no_change_of_subject"},
	}
}

// classOf finds an entry of the catalogue.
func classOf(id string) (CauseClass, bool) {
	for _, c := range Catalogue() {
		if c.ID == id {
			return c, true
		}
	}
	return CauseClass{}, false
}
