package blocks

import (
	"fmt"
	"strconv"
	"strings"

	"dw/workflows"
)

// hashPrefix is how much of the hash a button carries: 16 bytes, in hex.
const hashPrefix = 32

// ButtonValue is what a button of a proposal says: which proposal, the hash
// that the person saw, the nonce of its message, and for a step its number.
type ButtonValue struct {
	Proposal   string
	HashPrefix string
	Nonce      string
	Step       int
}

// DecisionValue is the value of the approve and reject buttons.
func DecisionValue(p workflows.Proposal) string { return StepValue(p, 0) }

// StepValue is the value of a step's button.
func StepValue(p workflows.Proposal, step int) string {
	hash := p.Hash
	if len(hash) > hashPrefix {
		hash = hash[:hashPrefix]
	}
	return strings.Join([]string{p.ID, hash, p.Nonce, strconv.Itoa(step)}, "|")
}

// stepAction is the action id of a step's button; ids are unique in a message.
func stepAction(base string, step int) string {
	if step == 0 {
		return base
	}
	return base + "_" + strconv.Itoa(step)
}

// ActionOf is the action behind a button's id, without the number of its step.
func ActionOf(id string) string {
	for _, base := range []string{ActionDone, ActionUndone} {
		if rest, ok := strings.CutPrefix(id, base+"_"); ok {
			if _, err := strconv.Atoi(rest); err == nil {
				return base
			}
		}
	}
	return id
}

// ParseValue reads a button's value. A value that dw did not write is an error.
func ParseValue(value string) (ButtonValue, error) {
	parts := strings.Split(value, "|")
	if len(parts) != 4 {
		return ButtonValue{}, fmt.Errorf("a button's value has 4 parts, this has %d", len(parts))
	}
	step, err := strconv.Atoi(parts[3])
	if err != nil || step < 0 {
		return ButtonValue{}, fmt.Errorf("the step %q of a button's value is no number", parts[3])
	}
	return ButtonValue{Proposal: parts[0], HashPrefix: parts[1], Nonce: parts[2], Step: step}, nil
}
