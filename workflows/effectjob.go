package workflows

// EffectJob is an effect as the queue carries it. The store writes it and the
// jobs package reads it, so its one definition stands here, free of the queue.
type EffectJob struct {
	Effect
}

// EffectJobKind is the queue's one kind of job.
const EffectJobKind = "effect"

// Kind returns EffectJobKind; it hides the effect's own kind, which is at
// Effect.Kind.
func (EffectJob) Kind() string { return EffectJobKind }
