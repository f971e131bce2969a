package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/slack-go/slack"
)

const (
	// identityTTL bounds how long a deactivated person can still act.
	identityTTL   = time.Minute
	identityLimit = 1000
)

// Person is a full, active member of the home workspace.
type Person struct {
	// Team and ID identify the person; nothing else does.
	Team, ID string
	// Name is the name shown in Slack, RealName the full one. Both are the
	// person's own choice and must be escaped before they are shown.
	Name, RealName string
	// TZ is the person's time zone as an IANA name; may be empty.
	TZ string
}

// Reason is why a person may not act.
type Reason string

// The reasons of a [NotAllowedError].
const (
	ReasonUnknown      Reason = "Slack does not know this person"
	ReasonOtherTeam    Reason = "the person belongs to another workspace"
	ReasonDeactivated  Reason = "the account is deactivated"
	ReasonBot          Reason = "the account is a bot"
	ReasonGuest        Reason = "the account is a guest"
	ReasonNotConfirmed Reason = "the person was invited and has not joined yet"
)

// NotAllowedError says that a person may not act, whatever the chain says.
type NotAllowedError struct {
	// User is the person's id.
	User string
	// Reason says why.
	Reason Reason
}

// Error says who and why.
func (e *NotAllowedError) Error() string {
	return fmt.Sprintf("%s may not act: %s", e.User, e.Reason)
}

// users is the part of [Client] that Identity needs.
type users interface {
	UserInfo(ctx context.Context, user string) (*slack.User, error)
}

// Identity tells whether somebody is a full, active member of the workspace.
type Identity struct {
	users users
	home  string
	now   func() time.Time

	mu    sync.Mutex
	known map[string]knownUser
}

type knownUser struct {
	user slack.User
	at   time.Time
}

// fresh reports that the record may still be used; one from the future, after
// the clock was set back, may not.
func (k knownUser) fresh(now time.Time) bool {
	age := now.Sub(k.at)
	return age >= 0 && age < identityTTL
}

// NewIdentity returns an Identity that asks u about the members of the workspace
// home (its id) and remembers an answer for at most a minute of now.
func NewIdentity(u users, home string, now func() time.Time) (*Identity, error) {
	if home == "" {
		return nil, errors.New("new identity: the id of the home workspace is empty")
	}
	return &Identity{users: u, home: home, now: now, known: make(map[string]knownUser)}, nil
}

// Check returns the person behind a user id that acted as a member of team; an
// empty team is taken from Slack's record of the user. Whoever is not a full,
// active, human member of the home workspace gets a *NotAllowedError; any other
// error means that Slack could not be asked, and nobody may act on it.
func (i *Identity) Check(ctx context.Context, user, team string) (Person, error) {
	if user == "" {
		return Person{}, &NotAllowedError{User: "nobody", Reason: ReasonUnknown}
	}
	if team != "" && team != i.home {
		return Person{}, &NotAllowedError{User: user, Reason: ReasonOtherTeam}
	}
	u, err := i.lookup(ctx, user)
	if err != nil {
		return Person{}, err
	}
	if reason := i.refuse(user, u); reason != "" {
		return Person{}, &NotAllowedError{User: user, Reason: reason}
	}
	return Person{Team: i.home, ID: u.ID, Name: shownName(u), RealName: realName(u), TZ: u.TZ}, nil
}

// refuse returns why a user may not act, or nothing.
func (i *Identity) refuse(id string, u slack.User) Reason {
	switch {
	case u.ID != id:
		return ReasonUnknown
	case u.IsStranger || u.TeamID != i.home:
		return ReasonOtherTeam
	case u.Deleted:
		return ReasonDeactivated
	case u.IsBot || u.IsWorkflowBot || u.IsConnectorBot || u.ID == "USLACKBOT":
		return ReasonBot
	case u.IsRestricted || u.IsUltraRestricted:
		return ReasonGuest
	case u.IsInvitedUser:
		return ReasonNotConfirmed
	default:
		return ""
	}
}

// lookup returns Slack's record of a user, at most a minute old. Failures are
// not remembered.
func (i *Identity) lookup(ctx context.Context, user string) (slack.User, error) {
	now := i.now()
	i.mu.Lock()
	k, ok := i.known[user]
	i.mu.Unlock()
	if ok && k.fresh(now) {
		return k.user, nil
	}
	u, err := i.users.UserInfo(ctx, user)
	if r, refused := errors.AsType[*RefusedError](err); refused && (r.Code == "user_not_found" || r.Code == "user_not_visible") {
		return slack.User{}, &NotAllowedError{User: user, Reason: ReasonUnknown}
	}
	if err != nil {
		return slack.User{}, fmt.Errorf("ask Slack who %s is: %w", user, err)
	}
	i.remember(user, knownUser{user: *u, at: now}, now)
	return *u, nil
}

func (i *Identity) remember(id string, k knownUser, now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.known) >= identityLimit {
		for other, old := range i.known {
			if !old.fresh(now) {
				delete(i.known, other)
			}
		}
	}
	if len(i.known) < identityLimit {
		i.known[id] = k
	}
}

func shownName(u slack.User) string {
	return or(text(u.Profile.DisplayName), text(realName(u)), text(u.Name), text(u.ID))
}

func realName(u slack.User) string { return or(text(u.RealName), text(u.Profile.RealName)) }
