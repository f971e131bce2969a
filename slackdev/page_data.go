package slackdev

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
)

// homeTab stands for the app's Home in the page's address.
const homeTab = "home"

// pageData is what the template shows to one user.
type pageData struct {
	Domain, Command string
	Sockets         int
	Me              User
	Users           []choice
	Channels        []choice
	Here            choice
	Members         string
	CanType         bool
	Messages        []shownMessage
	Thread          []shownMessage
	ThreadTS        string
	CloseThread     string
	Home            template.HTML
	HomeView        string
	Modal           *shownModal
}

type choice struct {
	ID, Name, Link string
	Current        bool
}

type shownMessage struct {
	Channel, TS, Author, Initial, Clock, Full string
	IsApp, Private                            bool
	Body                                      template.HTML
	Files                                     []File
	Reactions                                 []shownReaction
	Replies                                   int
	ThreadLink                                string
}

type shownReaction struct {
	Emoji string
	Count int
}

type shownModal struct {
	ID, Key, Title, Submit, Close, Notice string
	Body                                  template.HTML
}

func (s *Server) pageData(snap Snapshot, userID, channelID, thread string) (pageData, error) {
	people := slices.DeleteFunc(slices.Clone(snap.Users), func(u User) bool { return u.Bot || u.Deleted })
	if len(people) == 0 {
		return pageData{}, fmt.Errorf("the workspace has no person who could act")
	}
	me := people[0]
	if i := slices.IndexFunc(people, func(u User) bool { return u.ID == userID }); i >= 0 {
		me = people[i]
	} else if userID != "" {
		return pageData{}, fmt.Errorf("no person %q in this workspace", userID)
	}
	r := reader{snap: snap, user: me}
	d := pageData{Domain: s.ws.Domain, Command: s.ws.Command, Sockets: snap.Sockets, Me: me}
	for _, u := range people {
		d.Users = append(d.Users, choice{ID: u.ID, Name: personLabel(u, s.ws.TeamID), Current: u.ID == me.ID})
	}
	s.addChannels(&d, r, channelID)
	if channelID == homeTab {
		d.addHome(r)
	} else {
		d.addMessages(r, thread)
	}
	d.addModal(r)
	return d, nil
}

func personLabel(u User, team string) string {
	notes := []string{}
	if u.Restricted || u.UltraRestricted {
		notes = append(notes, "guest")
	}
	if u.Stranger || u.TeamID != team {
		notes = append(notes, "other company")
	}
	if len(notes) == 0 {
		return displayName(u)
	}
	return displayName(u) + " (" + strings.Join(notes, ", ") + ")"
}

// addChannels lists what the user sees and picks the one to show.
func (s *Server) addChannels(d *pageData, r reader, wanted string) {
	for _, c := range r.snap.Channels {
		if !s.sees(d.Me, &channel{Channel: c.Channel, im: c.DirectWith}) {
			continue
		}
		d.Channels = append(d.Channels, choice{ID: c.ID, Name: channelLabel(c), Link: link(d.Me.ID, c.ID, "")})
	}
	d.Channels = append(d.Channels, choice{ID: homeTab, Name: "App Home", Link: link(d.Me.ID, homeTab, "")})
	at := slices.IndexFunc(d.Channels, func(c choice) bool { return c.ID == wanted })
	at = max(at, 0)
	d.Channels[at].Current = true
	d.Here = d.Channels[at]
	d.CanType = d.Here.ID != homeTab
	names := []string{}
	for _, id := range r.snap.Channel(d.Here.ID).Members {
		names = append(names, r.userName(id))
	}
	d.Members = strings.Join(names, ", ")
}

func channelLabel(c ChannelState) string {
	switch {
	case c.DirectWith != "":
		return "✉ direct with the app"
	case c.Private:
		return "🔒 " + c.Name
	}
	return "# " + c.Name
}

func link(user, channel, thread string) string {
	q := url.Values{"user": {user}, "channel": {channel}}
	if thread != "" {
		q.Set("thread", thread)
	}
	return "/?" + q.Encode()
}

// addMessages fills the channel and the thread pane; what only this user sees
// stands among the rest by time.
func (d *pageData) addMessages(r reader, thread string) {
	all := slices.Clone(r.snap.Channel(d.Here.ID).Messages)
	for _, m := range r.snap.Ephemerals[d.Me.ID] {
		if m.Channel == d.Here.ID {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b Message) int { return strings.Compare(a.TS, b.TS) })
	for _, m := range all {
		if m.ThreadTS == "" || m.ThreadTS == m.TS || m.Broadcast {
			d.Messages = append(d.Messages, d.shown(r, m))
		}
		if thread != "" && (m.TS == thread || m.ThreadTS == thread) {
			d.Thread = append(d.Thread, d.shown(r, m))
		}
	}
	if len(d.Thread) > 0 {
		d.ThreadTS, d.CloseThread = thread, link(d.Me.ID, d.Here.ID, "")
	}
}

func (d *pageData) shown(r reader, m Message) shownMessage {
	r.place = m.TS
	name := r.userName(m.User)
	out := shownMessage{
		Channel: m.Channel, TS: m.TS, Author: name, Initial: strings.ToUpper(firstRune(name)),
		IsApp: m.BotID != "", Private: m.EphemeralTo != "", Files: m.Files, Replies: m.ReplyCount,
		ThreadLink: link(d.Me.ID, m.Channel, orElse(m.ThreadTS, m.TS)),
	}
	out.Clock, out.Full = r.clock(m.TS)
	for _, reaction := range m.Reactions {
		out.Reactions = append(out.Reactions, shownReaction{Emoji: emojis(":" + reaction.Name + ":"), Count: len(reaction.Users)})
	}
	if m.Blocks != nil { // Slack shows no "edited" mark on blocks
		out.Body = markup(r.blocks(m.Blocks, nil)...)
		return out
	}
	body := el("div", class("b-text"), r.mrkdwn(m.Text)...)
	if m.Edited != nil {
		body = body.with(el("span", class("edited"), txt(" (edited)")))
	}
	out.Body = markup(body)
	return out
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return "?"
}

func (d *pageData) addHome(r reader) {
	v, ok := r.snap.Homes[d.Me.ID]
	if !ok {
		d.Home = markup(el("p", class("hint"), txt("The app has published no Home for this person.")))
		return
	}
	d.HomeView = v.ID
	d.Home = markup(r.viewBlocks(v)...)
}

func (r reader) viewBlocks(v View) []node {
	r.place = v.ID
	raw, err := marshalPlain(v.fields()["blocks"])
	if err != nil {
		return []node{txt(err.Error())}
	}
	return r.blocks(raw, v.Errors)
}

func (d *pageData) addModal(r reader) {
	stack := r.snap.Modals[d.Me.ID]
	if len(stack) == 0 {
		return
	}
	v := stack[len(stack)-1]
	fields := v.fields()
	d.Modal = &shownModal{
		ID: v.ID, Key: fmt.Sprint(v.ID, v.Hash, v.Errors, v.Notice), Notice: v.Notice, Title: plainText(fields["title"]),
		Submit: plainText(fields["submit"]), Close: orElse(plainText(fields["close"]), "Close"),
		Body: markup(r.viewBlocks(v)...),
	}
}
