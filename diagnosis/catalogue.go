package diagnosis

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Identifiers of causes that others ask for. They stand in receipts and never
// change.
const (
	CauseMissingWireFormat  = "missing_wire_format"
	CauseMissingFeedSegment = "missing_feed_segment"
	CauseLateLoad           = "late_load"
	CauseSchemaDrift        = "schema_drift"
)

// Need says what happens to a cause when one of its conditions does not hold.
type Need string

// The needs of a condition.
const (
	Must  Need = "must"  // unknown: the cause is not named; false: it is rejected
	Want  Need = "want"  // unknown: said as missing; false: the cause is rejected
	Helps Need = "helps" // only adds to the score
)

// Condition is one part of a cause's signature.
type Condition struct {
	Predicate string   `yaml:"ask"` // a name that predicates knows
	Of        []string `yaml:"of"`  // words or kinds, for the predicates that take them
	Need      Need     `yaml:"need"`
	Weight    float64  `yaml:"weight"` // added to the score where it holds
}

// WantedFact is evidence that would settle a cause further.
type WantedFact struct {
	System string `yaml:"system"` // a probe of this system satisfies it
	Text   string `yaml:"text"`   // what to say when there is none
}

// CauseClass is one entry of the catalogue: data, filled in from the estate.
// Texts may use {segment}, {topic}, {dead_letter}, {rows}, {onset}, {subject},
// {pipeline} and {file}.
type CauseClass struct {
	ID          string             `yaml:"id"`
	Title       string             `yaml:"title"`
	Why         string             `yaml:"why"`
	Verdict     string             `yaml:"verdict"`
	Prior       float64            `yaml:"prior"`   // log-odds before any evidence
	Late        bool               `yaml:"late"`    // the rows are late, not lost
	AtFeed      bool               `yaml:"at_feed"` // it acts at the pipeline that writes to the topic, and began with the first dead-letter row
	Quiet       bool               `yaml:"quiet"`   // not mentioned where its first sign does not hold
	Signs       []Condition        `yaml:"signs"`
	Wanted      []WantedFact       `yaml:"wanted"`
	Confounders []string           `yaml:"confounders"` // what looks alike
	Plan        []ProposalTemplate `yaml:"plan"`
	Undo        string             `yaml:"undo"`
	Verify      string             `yaml:"verify"` // by what it is seen to be over
}

// ProposalTemplate is a proposal that a cause asks for. Steps name builders that
// fill them from the estate.
type ProposalTemplate struct {
	Key     string   `yaml:"key"`
	Title   string   `yaml:"title"`
	Steps   []string `yaml:"steps"`
	After   []string `yaml:"after"`
	Renamed bool     `yaml:"renamed"` // only where a schema check says which columns have another name
	Holds   bool     `yaml:"holds"`   // one proposal for each job that moves money on the rows; Steps is empty
}

//go:embed causes.yaml
var causesFile []byte

// embedded decodes the catalogue once. That it has no problems is for a test to
// say.
var embedded = sync.OnceValues(func() ([]CauseClass, error) { return decodeCatalogue(causesFile) })

// Catalogue returns the causes that dw can tell apart, of causes.yaml.
func Catalogue() []CauseClass {
	classes, _ := embedded() // a test reads the file; Diagnose says where it cannot be
	return slices.Clone(classes)
}

// ReadCatalogue reads causes from YAML. A key that is not known, a cause without
// its texts, a question or step that dw does not have, a need that is none and an
// identifier that comes twice are errors.
func ReadCatalogue(text []byte) ([]CauseClass, error) {
	classes, err := decodeCatalogue(text)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var wrong []error
	for _, class := range classes {
		if seen[class.ID] {
			wrong = append(wrong, fmt.Errorf("cause %s comes twice", class.ID))
		}
		seen[class.ID] = true
		wrong = append(wrong, class.problems()...)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("read the catalogue of causes: %w", errors.Join(wrong...))
	}
	return classes, nil
}

func decodeCatalogue(text []byte) ([]CauseClass, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var classes []CauseClass
	if err := decoder.Decode(&classes); err != nil {
		return nil, fmt.Errorf("read the catalogue of causes: %w", err)
	}
	return classes, nil
}

// problems lists what is wrong with a class.
func (c CauseClass) problems() []error {
	var wrong []error
	add := func(format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("cause "+c.ID+": "+format, args...))
	}
	for name, value := range map[string]string{"id": c.ID, "title": c.Title, "why": c.Why, "verdict": c.Verdict, "undo": c.Undo, "verify": c.Verify} {
		if value == "" {
			add("%s is missing", name)
		}
	}
	if len(c.Signs) == 0 || c.Signs[0].Need != Must || len(c.Confounders) == 0 {
		add("it needs signs, of which the first is a must, and confounders")
	}
	known := predicates()
	for _, sign := range c.Signs {
		if known[sign.Predicate] == nil {
			add("there is no question %q", sign.Predicate)
		}
		if takes(sign.Predicate) != (len(sign.Of) > 0) {
			add("question %s: of is missing, or of no use", sign.Predicate)
		}
		if sign.Need != Must && sign.Need != Want && sign.Need != Helps {
			add("%q is no need", sign.Need)
		}
	}
	for _, t := range c.Plan {
		for _, step := range t.Steps {
			if builders()[step] == nil {
				add("there is no step %q", step)
			}
		}
		if t.Holds == (len(t.Steps) > 0) {
			add("proposal %s either holds or has steps", t.Key)
		}
	}
	return wrong
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
