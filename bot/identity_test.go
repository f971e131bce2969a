package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// directory answers users.info with the fields given for U1.
func directory(t *testing.T, calls *atomic.Int32, fields func() string) *Client {
	return client(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.FormValue("user") != "U1" {
			fmt.Fprint(w, `{"ok":false,"error":"user_not_found"}`)
			return
		}
		fmt.Fprintf(w, `{"ok":true,"user":{"id":"U1","name":"ann","real_name":"Ann Ode","tz":"Europe/Berlin"%s}}`, fields())
	}, ClientOptions{})
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	const home = `,"team_id":"T1"`
	cases := []struct {
		name, user, team, fields string
		want                     Reason
	}{
		{"member", "U1", "T1", home, ""},
		{"member, team not told", "U1", "", home, ""},
		{"authorised the app", "U1", "T1", home + `,"is_app_user":true`, ""},
		{"clicked from another workspace", "U1", "T2", home, ReasonOtherTeam},
		{"recorded in another workspace", "U1", "T1", `,"team_id":"T2"`, ReasonOtherTeam},
		{"recorded in no workspace", "U1", "T1", "", ReasonOtherTeam},
		{"stranger", "U1", "T1", home + `,"is_stranger":true`, ReasonOtherTeam},
		{"deactivated", "U1", "T1", home + `,"deleted":true`, ReasonDeactivated},
		{"bot", "U1", "T1", home + `,"is_bot":true`, ReasonBot},
		{"workflow", "U1", "T1", home + `,"is_workflow_bot":true`, ReasonBot},
		{"guest", "U1", "T1", home + `,"is_restricted":true`, ReasonGuest},
		{"guest of one channel", "U1", "T1", home + `,"is_ultra_restricted":true`, ReasonGuest},
		{"invited", "U1", "T1", home + `,"is_invited_user":true`, ReasonNotConfirmed},
		{"another answer than asked for", "U1", "T1", home + `,"id":"U2"`, ReasonUnknown},
		{"unknown", "U9", "T1", home, ReasonUnknown},
		{"nobody", "", "T1", home, ReasonUnknown},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				i, err := NewIdentity(directory(t, &calls, func() string { return c.fields }), "T1", time.Now)
				if err != nil {
					t.Fatal(err)
				}
				p, err := i.Check(t.Context(), c.user, c.team)
				if c.want == "" {
					if want := (Person{Team: "T1", ID: "U1", Name: "Ann Ode", RealName: "Ann Ode", TZ: "Europe/Berlin"}); err != nil || p != want {
						t.Fatalf("Check gave %+v, %v", p, err)
					}
					return
				}
				if refused, ok := errors.AsType[*NotAllowedError](err); !ok || refused.Reason != c.want || p != (Person{}) {
					t.Fatalf("Check gave %+v, %v, want %q", p, err, c.want)
				}
			})
		})
	}
}

func TestIdentityForgetsWithinAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		fields := `,"team_id":"T1"`
		offset := time.Duration(0)
		i, err := NewIdentity(directory(t, &calls, func() string { return fields }), "T1", func() time.Time { return time.Now().Add(offset) })
		if err != nil {
			t.Fatal(err)
		}
		check := func(when string, allowed bool, asked int32) {
			t.Helper()
			_, err := i.Check(t.Context(), "U1", "T1")
			if (err == nil) != allowed || calls.Load() != asked {
				t.Fatalf("%s: %v after %d calls, want allowed %v after %d", when, err, calls.Load(), allowed, asked)
			}
		}
		check("first", true, 1)
		fields += `,"deleted":true`
		time.Sleep(identityTTL - time.Nanosecond)
		check("within the minute", true, 1)
		time.Sleep(time.Nanosecond)
		check("after the minute", false, 2)
		offset = -time.Hour
		check("after the clock was set back", false, 3)
	})
}

func TestIdentityFailsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := client(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, ClientOptions{})
		i, err := NewIdentity(down, "T1", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		p, err := i.Check(context.Background(), "U1", "T1")
		if _, refused := errors.AsType[*NotAllowedError](err); err == nil || refused || p != (Person{}) {
			t.Fatalf("Check gave %+v, %v, want an error that is no verdict", p, err)
		}
	})
}

func TestNewIdentityWantsAHome(t *testing.T) {
	t.Parallel()
	if _, err := NewIdentity(nil, "", time.Now); err == nil {
		t.Error("no error for an empty home")
	}
}
