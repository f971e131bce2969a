// Package receipts turns what dw decided and did into a log that an outsider
// can check: canonical bytes, a hash chain over them, an RFC 6962 tree, signed
// checkpoints, an export folder and a verifier for all of it.
//
// The package stands alone: no database, no Slack, no network and no clock.
// The format is described in docs/receipts.md; a change to it needs a new
// predicate type, a new chain domain and a new export README.
package receipts
