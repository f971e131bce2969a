package receipts

// Kinds of receipts: what happened. Later kinds are added here, never renamed,
// since the names are part of what was signed.
const (
	KindIncidentOpened   = "incident.opened"
	KindIncidentUpdated  = "incident.updated"
	KindIncidentResolved = "incident.resolved"

	KindProposalCreated   = "proposal.created"
	KindDecisionRecorded  = "decision.recorded"
	KindDecisionRefused   = "decision.refused"
	KindDecisionRevoked   = "decision.revoked"
	KindProposalWithdrawn = "proposal.withdrawn"
	KindEscalation        = "escalation"
	KindExpiry            = "expiry"

	KindHaltedChoice  = "halted.choice" // what a named person chose for a halted run
	KindStepIntent    = "step.intent"
	KindStepOutcome   = "step.outcome"
	KindStepOwnerDone = "step.owner_done"
	KindVerification  = "verification"

	KindErrandIntent  = "errand.intent" // a call to the pager or the tracker
	KindErrandOutcome = "errand.outcome"

	KindDelegationCreated = "delegation.created" // somebody stands in for somebody
	KindDelegationRevoked = "delegation.revoked"

	KindStopPulled = "stop.pulled"
	KindStopLifted = "stop.lifted"

	KindAutonomyWouldPropose = "autonomy.would_propose"
	KindAutonomyActed        = "autonomy.acted"         // dw began a listed playbook without a person, at L3
	KindAutonomyLevelChanged = "autonomy.level_changed" // the level in force of a domain
	KindPolicyChanged        = "policy.changed"         // governed terms of a domain that are in force from here on
	KindConfigLoaded         = "config.loaded"
	KindKeyCreated           = "key.created"
	KindKeyRotated           = "key.rotated"   // signed by the old and the new key
	KindAnchorPosted         = "anchor.posted" // a checkpoint stands where dw cannot change it
	KindTextShredded         = "text.shredded" // free texts were deleted, their hashes stay
	KindLogMismatch          = "log.mismatch"  // the self-check found the log changed
	KindClockJump            = "clock_jump"
	KindRestoredFrom         = "restored_from" // a backup took the database's place
)

// Kinds of actors: who did it.
const (
	ActorHuman = "human"
	ActorAgent = "agent"
	ActorDW    = "dw"
)
