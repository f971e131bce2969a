package blocks_test

import (
	"strings"
	"testing"
	"time"

	"dw/blocks"
	"dw/checks"
	"dw/workflows"
)

// detected is an incident of the detector, with a question about a new level.
func detected(name string) workflows.Incident {
	i := incident(name)
	at := i.Signals[0].Result.At
	i.Signals[0].Result.Detection = &checks.Detection{Start: at.Add(-2 * time.Hour), End: at}
	i.Levels = []workflows.LevelQuestion{{Check: i.Signals[0].Check, Times: 0.7, At: at.AddDate(0, 0, -1)}}
	return i
}

// taught is the same after somebody answered both questions.
func taught(name string) workflows.Incident {
	i := detected(name)
	at, check := i.Signals[0].Result.At, i.Signals[0].Check
	i.Said = []workflows.Said{
		{Check: check, Word: checks.AnswerOneOff, By: owner, At: at},
		{Check: check, Word: checks.AnswerReal, OfLevel: true, By: owner, At: at},
	}
	return i
}

// TestTeachValue: a button's value comes back as it was, whatever the check is
// called, and a foreign one is refused.
func TestTeachValue(t *testing.T) {
	t.Parallel()
	for _, check := range []string{"orders per hour", "a|b|c", strings.Repeat("n", 4000)} {
		if i, c, err := blocks.ParseTeach(blocks.TeachValue("INC-1", check)); i != "INC-1" || c != workflows.CheckKey(check) || err != nil {
			t.Errorf("%q came back as %q of %q, %v", check, c, i, err)
		}
	}
	for _, value := range []string{"", "INC-1", "|x", "INC-1|"} {
		if _, _, err := blocks.ParseTeach(value); err == nil {
			t.Errorf("%q was taken", value)
		}
	}
}
