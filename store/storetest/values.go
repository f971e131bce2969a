package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"dw/lineage"
	"dw/receipts"
	"dw/workflows"
)

func incident(n int) workflows.Incident {
	return workflows.Incident{
		ID:       fmt.Sprintf("I%03d", n),
		Domain:   "revenue",
		Subject:  lineage.AssetID("warehouse://shop/orders"),
		State:    workflows.Open,
		OpenedAt: base().Add(time.Duration(n) * time.Minute),
	}
}

func proposal(n int, of string) workflows.Proposal {
	return workflows.Proposal{
		ID:        fmt.Sprintf("P%03d", n),
		Incident:  of,
		State:     workflows.Waiting,
		CreatedAt: base().Add(time.Duration(n) * time.Minute),
	}
}

func draft(n int) receipts.Draft {
	return receipts.Draft{
		Kind:     receipts.KindIncidentUpdated,
		Incident: "I001",
		Actor:    receipts.Actor{Kind: receipts.ActorDW},
		At:       base().Add(time.Duration(n) * time.Second),
		Body:     receipts.Object{"number": n, "text": "Zürich \u202e 表 <!channel>"},
	}
}

func effect(key string) workflows.Effect {
	return workflows.Effect{
		Kind:    workflows.EffectThreadNote,
		Key:     key,
		Payload: json.RawMessage(`{"incident":"I001","text":"` + key + `"}`),
	}
}

func deadline(kind, subject string, after time.Duration) workflows.Deadline {
	return workflows.Deadline{Kind: kind, Subject: subject, DueAt: base().Add(after)}
}
