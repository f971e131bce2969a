package demo

import (
	"io"
	"log/slog"
	"time"

	"dw/slackdev"
)

// Ids in the demo's workspace.
const (
	teamID       = "T0TICKETS"
	ownerID      = "U0OWNER01"
	deputyID     = "U0DEPUTY1"
	escalationID = "U0ESCAL01"
	financeID    = "U0FINANC1"
	analystID    = "U0ANALYS1"
	guestID      = "U0GUEST01"
	botID        = "U0DWBOT01"
	incidentsID  = "C0INCIDEN"
	generalID    = "C0GENERAL"
)

// newWorkspace builds the local Slack workspace; Start makes it listen.
func newWorkspace(e *estate, listen string, now func() time.Time, journal io.Writer, log *slog.Logger) (*slackdev.Server, error) {
	person := func(id, short, story string) slackdev.User {
		return slackdev.User{ID: id, Name: short, RealName: e.names[story], TZ: storyZone, TeamID: teamID}
	}
	guest := person(guestID, "guest", personGuest)
	guest.UltraRestricted = true
	members := []string{ownerID, deputyID, escalationID, financeID, analystID, botID}
	return slackdev.New(slackdev.Options{
		Now: now, Listen: listen, Logger: log, Journal: journal, AckTimeout: 10 * time.Second, Burst: 64,
		Workspace: slackdev.Workspace{
			TeamID: teamID, Domain: "tickets-demo", BotToken: e.tokens.bot, AppToken: e.tokens.app,
			BotUserID: botID, BotID: "B0DWBOT01", AppID: "A0DWAPP01",
			Users: []slackdev.User{
				person(ownerID, "owner", personOwner), person(deputyID, "deputy", personDeputy),
				person(escalationID, "escalation", personEscalation), person(financeID, "finance", personFinance),
				person(analystID, "analyst", personAnalyst), guest,
			},
			Channels: []slackdev.Channel{
				{ID: incidentsID, Name: e.names[channelIncidents], Members: append(members, guestID)},
				{ID: generalID, Name: e.names[channelGeneral], Members: members},
			},
		},
	})
}
