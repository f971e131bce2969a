package openlineage_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// plainEvent is an event read by the plainest of ways, to compare with.
type plainEvent struct {
	Job             plainName
	Inputs, Outputs []plainDataset
}

type plainName struct{ Namespace, Name string }

type plainDataset struct {
	plainName
	Facets struct {
		ColumnLineage struct {
			Fields map[string]struct {
				InputFields []struct{ Namespace, Name, Field string }
			}
		}
	}
}

func plain(t *testing.T, content []byte) []plainEvent {
	t.Helper()
	var many []plainEvent
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("[")) {
		if err := json.Unmarshal(content, &many); err != nil {
			t.Fatal(err)
		}
		return many
	}
	var one plainEvent
	if err := json.Unmarshal(content, &one); err != nil {
		t.Fatal(err)
	}
	return []plainEvent{one}
}
