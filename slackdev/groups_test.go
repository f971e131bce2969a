package slackdev_test

import (
	"slices"
	"testing"

	"dw/slackdev"
)

// TestGroupMembersChange: who is in a user group is told as it is now, and a
// change that is impossible says why and changes nothing.
func TestGroupMembersChange(t *testing.T) {
	t.Parallel()
	const leads = "S0LEADS001"
	b := setup(t, func(o *slackdev.Options) {
		o.Workspace.Groups = []slackdev.Group{{ID: leads, Handle: "leads", Users: []string{ann}}}
	})
	is := func(want ...string) {
		t.Helper()
		got, err := b.api.GetUserGroupMembersContext(b.ctx, leads)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("members %v, %v; want %v", got, err, want)
		}
	}
	is(ann)
	for name, change := range map[string]func() error{
		"no such group":  func() error { return b.JoinGroup("S0", bob) },
		"no such person": func() error { return b.JoinGroup(leads, "U0NOBODY") },
		"in it already":  func() error { return b.JoinGroup(leads, ann) },
		"not in it":      func() error { return b.LeaveGroup(leads, bob) },
	} {
		if change() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	is(ann)
	if err := b.JoinGroup(leads, bob); err != nil {
		t.Fatal(err)
	}
	is(ann, bob)
	if err := b.LeaveGroup(leads, ann); err != nil {
		t.Fatal(err)
	}
	is(bob)
}
