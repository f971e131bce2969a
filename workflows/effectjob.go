package workflows

import (
	"encoding/json"
	"fmt"
	"time"
)

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

// effectJob is how an EffectJob is encoded. The payload is carried as text: the
// queue's databases store JSON in forms of their own, which refuse some texts
// (PostgreSQL: \u0000) and give others back changed. Payload is how dw wrote it
// before.
type effectJob struct {
	Kind      string          `json:"kind"`
	Key       string          `json:"key"`
	NotBefore time.Time       `json:"not_before"`
	Body      string          `json:"body,omitempty"`
	Payload   json.RawMessage `json:"payload,omitempty"`
}

// MarshalJSON encodes the effect for the queue.
func (j EffectJob) MarshalJSON() ([]byte, error) {
	return json.Marshal(effectJob{Kind: j.Effect.Kind, Key: j.Key, NotBefore: j.NotBefore, Body: string(j.Payload)})
}

// UnmarshalJSON decodes what MarshalJSON wrote, or an earlier dw.
func (j *EffectJob) UnmarshalJSON(text []byte) error {
	var stored effectJob
	if err := json.Unmarshal(text, &stored); err != nil {
		return fmt.Errorf("decode queued effect: %w", err)
	}
	j.Effect = Effect{Kind: stored.Kind, Key: stored.Key, NotBefore: stored.NotBefore, Payload: stored.Payload}
	if stored.Body != "" {
		j.Payload = json.RawMessage(stored.Body)
	}
	return nil
}
