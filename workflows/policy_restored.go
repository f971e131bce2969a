package workflows

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dw/receipts"
)

// ByRestore is how a level came to be in force that was lowered because a backup
// was put back.
const ByRestore = "restored"

// LowerRestored takes to L2 every one of domains in which the state that tx reads
// lets dw act by itself: it is a backup's, and a level that somebody lowered after
// the backup stands in it as it was before. The receipts and the notices to the
// channels are written in tx.
func LowerRestored(ctx context.Context, tx Tx, domains []Policy, now time.Time) error {
	inForce, err := tx.InForce(ctx)
	if err != nil {
		return fmt.Errorf("read the policy in force: %w", err)
	}
	w := &work{tx: tx, now: now, inForce: inForce}
	for _, file := range domains {
		before := inForce.Policy(file)
		if acts := (Terms{Policy: before, Opened: true}).opens(); acts {
			w.lowerRestored(before, file.Channel)
		}
	}
	return w.flush(ctx)
}

func (w *work) lowerRestored(before Policy, channel string) {
	target := before
	target.Level = L2Propose
	terms := termsApart(before, target, false)
	st := w.governedIn(before)
	st.Policy = st.Policy.withTerms(target, []string{termLevel})
	st = st.moved(ByRestore, Person{}, "", slices.Clone(terms), w.now)
	w.setGoverned(before.Domain, st)
	w.changedPolicy(st, terms, receipts.Object{"how": ByRestore}, itself(), nil)
	w.noticeOf(channel, fmt.Sprintf("policy/%s/%d/restored", before.Domain, st.Rev), fmt.Sprintf(
		"A backup of dw was put back, in which %s is at %s. Whether somebody has lowered it since is not known, so it is at %s: dw begins nothing by itself. Two people can raise it again.",
		before.Domain, before.Level, st.Policy.Level))
}
