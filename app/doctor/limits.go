package doctor

import "time"

const (
	// maxWait bounds one call to Slack with its waiting for Slack's limits.
	maxWait = 20 * time.Second
	// askWithin bounds the looking of one connection at its catalogue.
	askWithin = 30 * time.Second
	// verifyWithin bounds the verification of the receipts: about a million of
	// them a second of processor time, docs/receipts.md.
	verifyWithin = 20 * time.Second

	// skewOK is what Slack's whole seconds and the way there explain; at
	// skewFail deadlines and receipts tell another time than the cards do.
	skewOK   = 3 * time.Second
	skewFail = time.Minute

	// manifestOld is when a dbt manifest is said to be old: dbt writes one at
	// each run, and few projects are not run within a week.
	manifestOld = 7 * 24 * time.Hour

	diskWarn = 1 << 30   // bytes
	diskFail = 100 << 20 // bytes: less than two write-ahead logs of their largest size
)
