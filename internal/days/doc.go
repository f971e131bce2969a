// Package days plays days of dw in virtual time: the Service, a real SQLite store
// and the ticker, with people who click rightly and wrongly, processes that die in
// their commits, clocks that jump, and a Slack, a pager and a scheduler that fail.
// A checker reads the history afterwards. See docs/soak.md and `make test-days`.
package days
