package blocks_test

import (
	"time"

	"dw/lineage"
	"dw/workflows"
)

// history has one incident that was repaired, one that ended by itself and one that
// is open.
func history(name string) workflows.History {
	past := func(id string, days int, state workflows.IncidentState, fixed ...string) workflows.Past {
		return workflows.Past{
			ID: id, Subject: lineage.AssetID("dbt://shop/model.shop." + name), OpenedAt: now.AddDate(0, 0, -days), Onset: onset.AddDate(0, 0, -days), State: state,
			Took: 208*time.Minute + 11*time.Second, Cause: "missing_wire_format", Title: "Records without the wire format", Segment: map[string]string{"channel": name},
			Same: []string{"cause", "asset", "segment"}, FixedBy: fixed,
		}
	}
	alone := past("INC-CCCCCC", 30, workflows.Open)
	alone.Title, alone.Same, alone.Onset = "", []string{"asset"}, time.Time{}
	return workflows.History{Of: "INC-AAAAAA", Again: 2, All: 5, Past: []workflows.Past{
		past("INC-BBBBBB", 7, workflows.Resolved, "Encode the records of "+name, "Recover the rows"), past("INC-DDDDDD", 12, workflows.Resolved), alone,
	}}
}
