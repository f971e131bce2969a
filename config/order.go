package config

import (
	"strings"
	"time"
)

// What the parts of dw use where the file gives no value; the checks of two
// values against each other need them.
const (
	defaultTimeout       = time.Minute
	defaultRescueAfter   = 2 * time.Minute
	defaultRemindAfter   = 15 * time.Minute
	defaultEscalateAfter = 45 * time.Minute
	defaultExpireAfter   = 4 * time.Hour
)

// span is a duration of a block and what stands for it where it is left out.
type span struct {
	name  string
	value Duration
	other time.Duration
}

func (s span) std() time.Duration { return s.value.Or(s.other) }

// checkOrder holds that short is less than long. The problem stands at long
// where the file has it, else at short: one of the two is the file's.
func (c *Config) checkOrder(add adder, block string, short, long span, otherwise string) {
	if short.std() < long.std() || !c.whole(block) {
		return
	}
	if long.value != 0 {
		add(block+"."+long.name, "%v is not longer than %s (%v): %s", long.std(), short.name, short.std(), otherwise)
		return
	}
	add(block+"."+short.name, "%v is not shorter than %s (%v): %s", short.std(), long.name, long.std(), otherwise)
}

// whole reports whether all of a block could be read. Values are compared only
// then: one that could not be read would make up a second problem.
func (c *Config) whole(block string) bool {
	for _, key := range c.unread {
		if key == block || strings.HasPrefix(key, block+".") || strings.HasPrefix(block, key+".") {
			return false
		}
	}
	return true
}
