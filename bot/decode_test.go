package bot

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func TestDecodeFrame(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 40, 0, 0, time.UTC)
	cases := []struct {
		name, raw, key string
		want           Event
	}{
		{
			"command", `{"type":"slash_commands","envelope_id":"E1","accepts_response_payload":true,"payload":{
			"command":"/dw","text":"explain orders","team_id":"T1","user_id":"U1","user_name":"ann","channel_id":"C1",
			"thread_ts":"1.1","response_url":"https://hooks.slack.com/x","trigger_id":"t1","is_enterprise_install":"false"}}`, "trigger:t1",
			Command{
				Envelope: "E1", Name: "/dw", Team: "T1", User: "U1", UserName: "ann", Channel: "C1", ThreadTS: "1.1",
				Text: "explain orders", ResponseURL: "https://hooks.slack.com/x", TriggerID: "t1", ReceivedAt: at,
			},
		},
		{
			"click in a message", `{"type":"interactive","envelope_id":"E2","payload":{"type":"block_actions","api_app_id":"A1",
			"user":{"id":"U2","team_id":"T2"},"team":{"id":"T1"},"channel":{"id":"C1"},"trigger_id":"tr","response_url":"https://r",
			"container":{"type":"message","message_ts":"5.5","thread_ts":"5.0","channel_id":"C1"},
			"message":{"ts":"5.5","blocks":[{"type":"never seen","elements":7}]},
			"actions":[{"action_id":"approve","block_id":"b","value":"p1","action_ts":"9.9"}]}}`, "trigger:tr",
			Action{
				Envelope: "E2", Team: "T2", User: "U2", UserTeam: "T2", InstallTeam: "T1", Channel: "C1", MessageTS: "5.5", ThreadTS: "5.0",
				ActionID: "approve", BlockID: "b", Value: "p1", TriggerID: "tr", ResponseURL: "https://r", ActionTS: "9.9", AppID: "A1", ReceivedAt: at,
			},
		},
		{
			"only ids, numbers for strings, no message", `{"type":"interactive","envelope_id":"E3","accepts_response_payload":"false","payload":{"type":"block_actions",
			"user":{"id":"U2","name":null,"username":["x"]},"team":{"id":"T1","domain":false},"message":null,"view":[],"state":{"values":[]},"enterprise":"none",
			"container":{"message_ts":5.25,"channel_id":"C1"},
			"actions":[{"action_id":"a","action_ts":9,"selected_option":{"text":{"type":"plain_text"},"value":"o1"}},{"action_id":"b"}]}}`, "E3",
			Action{
				Envelope: "E3", Team: "T1", User: "U2", InstallTeam: "T1", Channel: "C1", MessageTS: "5.25",
				ActionID: "a", SelectedOption: "o1", ActionTS: "9", ReceivedAt: at,
			},
		},
		{
			"choice of a person in a modal", `{"type":"interactive","envelope_id":"E4","payload":{"type":"block_actions","user":{"id":"U1","team_id":"T1"},
			"view":{"id":"V1"},"actions":[{"action_id":"assign","selected_user":"U9"}]}}`, "E4",
			Action{Envelope: "E4", Team: "T1", User: "U1", UserTeam: "T1", ViewID: "V1", ActionID: "assign", SelectedOption: "U9", ReceivedAt: at},
		},
		{
			"submission", `{"type":"interactive","envelope_id":"E5","payload":{"type":"view_submission","user":{"id":"U1","team_id":"T1"},"trigger_id":"tr","api_app_id":"A1",
			"view":{"id":"V1","callback_id":"reject","private_metadata":"p1","state":{"values":{
				"reason":{"text":{"type":"plain_text_input","value":"too early"}},
				"who":{"pick":{"type":"multi_static_select","selected_options":[{"value":"a"},{"value":"b"}]},"odd":7},
				"none":[]}}}}}`, "trigger:tr",
			Submission{
				Envelope: "E5", Team: "T1", UserTeam: "T1", User: "U1", ViewID: "V1", CallbackID: "reject", PrivateMetadata: "p1",
				Values:    map[string]map[string]string{"reason": {"text": "too early"}, "who": {"pick": "a,b", "odd": ""}, "none": {}},
				TriggerID: "tr", AppID: "A1", ReceivedAt: at,
			},
		},
		{
			"submission with values as a list", `{"type":"interactive","envelope_id":"E6","payload":{"type":"view_submission","user":{"id":"U1"},"view":{"id":"V1","state":{"values":[]}}}}`, "E6",
			Submission{Envelope: "E6", User: "U1", ViewID: "V1", Values: map[string]map[string]string{}, ReceivedAt: at},
		},
		{
			"home opened", `{"type":"events_api","envelope_id":"E7","retry_attempt":1,"payload":{"team_id":"T1","event_id":"Ev1","event":{"type":"app_home_opened","user":"U1","tab":"home"}}}`, "event:Ev1",
			HomeOpened{Envelope: "E7", EventID: "Ev1", Team: "T1", User: "U1", Tab: "home", ReceivedAt: at},
		},
		{
			"rate limit notice", `{"type":"events_api","envelope_id":"E8","payload":{"type":"app_rate_limited","team_id":"T1"}}`, "E8",
			Unknown{Envelope: "E8", Type: "events_api", Kind: "app_rate_limited", Team: "T1", ReceivedAt: at},
		},
		{
			"closed modal", `{"type":"interactive","envelope_id":"E9","payload":{"type":"view_closed","user":{"id":"U1"}}}`, "E9",
			Unknown{Envelope: "E9", Type: "interactive", Kind: "view_closed", User: "U1", ReceivedAt: at},
		},
		{
			"type of tomorrow", `{"type":"telepathy","envelope_id":"E10","payload":"x"}`, "E10",
			Unknown{Envelope: "E10", Type: "telepathy", ReceivedAt: at},
		},
		{"hello", `{"type":"hello","num_connections":1,"envelope_id":"not one"}`, "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, err := decodeFrame([]byte(c.raw), at)
			if err != nil {
				t.Fatal(err)
			}
			if f.key != c.key || !reflect.DeepEqual(f.event, c.want) {
				t.Fatalf("key %q\n got %+v\nwant %+v", f.key, f.event, c.want)
			}
			if c.want != nil && f.event.EnvelopeID() != f.envelope {
				t.Fatalf("event says envelope %q, frame says %q", f.event.EnvelopeID(), f.envelope)
			}
		})
	}
}

func FuzzDecodeFrame(f *testing.F) {
	for _, seed := range []string{
		`{"type":"slash_commands","envelope_id":"E1","payload":{"user_id":"U1","text":"x"}}`,
		`{"type":"interactive","envelope_id":"E1","payload":{"type":"block_actions","user":{"id":"U1"},"actions":[{"action_id":"a"}]}}`,
		`{"type":"interactive","envelope_id":"E1","payload":{"type":"view_submission","user":{"id":"U1"},"view":{"state":{"values":{"a":{"b":{"value":"c"}}}}}}}`,
		`{"type":"events_api","envelope_id":"E1","payload":{"event":{"type":"app_home_opened","user":"U1"}}}`,
		`{"type":"disconnect","reason":"warning"}`, `{"envelope_id":"E1",`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := decodeFrame(raw, time.Time{})
		if err == nil && got.envelope == "" && got.kind != frameHello && got.kind != frameDisconnect {
			t.Fatalf("accepted a frame without envelope id: %+v", got)
		}
		if err == nil && got.envelope != "" && (got.event == nil || got.event.EnvelopeID() != got.envelope) {
			t.Fatalf("envelope %q gave event %+v", got.envelope, got.event)
		}
		// Whatever is in the payload, an envelope that names itself is found.
		wrapped, bad := json.Marshal(map[string]any{"type": "interactive", "envelope_id": "known", "payload": json.RawMessage(raw)})
		if bad == nil {
			if got, _ := decodeFrame(wrapped, time.Time{}); got.envelope != "known" {
				t.Fatalf("lost the envelope id of %s", wrapped)
			}
		}
	})
}
