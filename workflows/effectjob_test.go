package workflows

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// What the queue gives back is what was queued, to the byte, and no text in it
// is one that a database's own kind of JSON refuses.
func TestEffectJobSurvivesTheQueue(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, e := range map[string]Effect{
		"payload":     {Kind: "slack.note", Key: "a", NotBefore: at, Payload: json.RawMessage(`{"z":1.50, "a":"\u0000"}`)},
		"no payload":  {Kind: "slack.note", Key: "a"},
		"null":        {Kind: "slack.note", Key: "a", Payload: json.RawMessage(`null`)},
		"only a text": {Kind: "slack.note", Key: "a", Payload: json.RawMessage(`"text"`)},
	} {
		text, err := json.Marshal(EffectJob{e})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.Contains(strings.ReplaceAll(string(text), `\\u`, ""), `\u0000`) {
			t.Errorf("%s: PostgreSQL refuses %s", name, text)
		}
		var back EffectJob
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(back.Effect, e) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, back.Effect, e)
		}
	}
}

func TestEffectJobOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	var job EffectJob
	err := json.Unmarshal([]byte(`{"kind":"step.run","key":"k","not_before":"0001-01-01T00:00:00Z","payload":{"step":1}}`), &job)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Effect{Kind: "step.run", Key: "k", Payload: json.RawMessage(`{"step":1}`)}); !reflect.DeepEqual(job.Effect, want) {
		t.Errorf("got %+v, want %+v", job.Effect, want)
	}
	if err := json.Unmarshal([]byte(`[]`), &job); err == nil {
		t.Error("a list was read as an effect")
	}
}
