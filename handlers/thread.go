package handlers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// line is a note that this process owes to a thread. Rev and n order the notes of
// one thread as they were queued; they are the end of the effect's key.
type line struct {
	rev, n int64
	key    string
	note   workflows.ThreadNote
}

func lineOf(key string, note workflows.ThreadNote) line {
	l := line{key: key, note: note}
	parts := strings.Split(key, "/")
	if last := len(parts) - 1; last >= 1 {
		// A key of another form leaves both at zero, which orders it first.
		l.rev, _ = strconv.ParseInt(parts[last-1], 10, 64)
		l.n, _ = strconv.ParseInt(parts[last], 10, 64)
	}
	return l
}

func (l line) compare(other line) int {
	return cmp.Or(cmp.Compare(l.rev, other.rev), cmp.Compare(l.n, other.n), cmp.Compare(l.key, other.key))
}

// thread names the thread that a note goes to.
func thread(n workflows.ThreadNote) string { return n.Incident + "|" + n.Proposal }

// note posts a note into its thread, and before it the older ones of the thread
// that this process could not post yet: after an outage of Slack, effects come
// back in any order, and history must not. An older note that Slack refuses holds
// nobody up; its own effect reports it.
func (d *Deliverer) note(ctx context.Context, key string, n workflows.ThreadNote) error {
	own := lineOf(key, n)
	d.owe(own)
	defer d.lock("thread/" + thread(n))()
	for _, l := range d.owedUpTo(own) {
		err := d.postLine(ctx, l)
		if _, refused := errors.AsType[*bot.RefusedError](err); refused && l.key != key {
			continue
		}
		if err != nil {
			return err
		}
		d.paid(l)
	}
	return nil
}

func (d *Deliverer) postLine(ctx context.Context, l line) error {
	root, err := d.rootOf(ctx, l.note)
	if err != nil {
		return err
	}
	message := toBot(blocks.Note(l.note.Text, l.note.Mention))
	_, err = d.postOnce(ctx, root.Channel, root.TS, l.key, d.Now().Add(-24*time.Hour), message, len(l.note.Mention) > 0)
	return err
}

// owe notes a line that is to be posted.
func (d *Deliverer) owe(l line) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owed == nil {
		d.owed = map[string][]line{}
	}
	where := thread(l.note)
	lines := d.owed[where]
	at, known := slices.BinarySearchFunc(lines, l, line.compare)
	if !known {
		d.owed[where] = slices.Insert(lines, at, l)
	}
}

// owedUpTo lists what is owed to the thread of a line, in order and that line
// last; nothing where another delivery has posted it meanwhile.
func (d *Deliverer) owedUpTo(l line) []line {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.owed[thread(l.note)]
	at := slices.IndexFunc(lines, func(other line) bool { return other.key == l.key })
	return slices.Clone(lines[:at+1])
}

// paid strikes a line off that was posted.
func (d *Deliverer) paid(l line) {
	d.mu.Lock()
	defer d.mu.Unlock()
	where := thread(l.note)
	d.owed[where] = slices.DeleteFunc(d.owed[where], func(other line) bool { return other.key == l.key })
	if len(d.owed[where]) == 0 {
		delete(d.owed, where)
	}
}
