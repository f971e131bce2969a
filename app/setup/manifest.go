package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"dw/bot"
)

// Slack's limits for an app manifest, in characters. Source: Slack's page "App
// manifest reference" and its types in @slack/types.
const (
	maxAppName        = 35
	maxAppDescription = 140
	maxBotName        = 80
	maxCommand        = 32 // with its slash
	maxScopes         = 255
)

// appManifest is the part of Slack's manifest that dw uses. A URL appears
// nowhere: with Socket Mode Slack calls nobody.
type appManifest struct {
	Metadata struct {
		Major int `json:"major_version"`
		Minor int `json:"minor_version"`
	} `json:"_metadata"`
	Display struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"display_information"`
	Features struct {
		Home struct {
			Home     bool `json:"home_tab_enabled"`
			Messages bool `json:"messages_tab_enabled"`
			ReadOnly bool `json:"messages_tab_read_only_enabled"`
		} `json:"app_home"`
		Bot struct {
			Name   string `json:"display_name"`
			Online bool   `json:"always_online"`
		} `json:"bot_user"`
		Commands []slashCommand `json:"slash_commands"`
	} `json:"features"`
	OAuth struct {
		Scopes struct {
			Bot []string `json:"bot"`
		} `json:"scopes"`
	} `json:"oauth_config"`
	Settings struct {
		Interactivity struct {
			Enabled bool `json:"is_enabled"`
		} `json:"interactivity"`
		OrgDeploy  bool `json:"org_deploy_enabled"`
		SocketMode bool `json:"socket_mode_enabled"`
		Rotation   bool `json:"token_rotation_enabled"`
	} `json:"settings"`
}

type slashCommand struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	UsageHint   string `json:"usage_hint"`
	Escape      bool   `json:"should_escape"`
}

// Manifest returns the JSON from which Slack makes the app: Socket Mode and
// interactivity on, exactly the scopes that dw's calls need, one slash command.
func Manifest(name, command string) ([]byte, error) {
	var m appManifest
	m.Metadata.Major, m.Metadata.Minor = 1, 1
	m.Display.Name = name
	m.Display.Description = "Checks the data team's numbers, opens incidents, and asks a named owner before anything changes"
	m.Features.Home.Messages, m.Features.Home.ReadOnly = true, true
	m.Features.Bot.Name, m.Features.Bot.Online = name, true
	m.Features.Commands = []slashCommand{{
		Command: command, Description: "Ask dw about checks, incidents and assets", UsageHint: "status | checks | incidents | explain NAME | help", Escape: true,
	}}
	for _, scope := range bot.Scopes() {
		m.OAuth.Scopes.Bot = append(m.OAuth.Scopes.Bot, scope.Name)
	}
	m.Settings.Interactivity.Enabled, m.Settings.SocketMode = true, true
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("make the app manifest: %w", err)
	}
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the app manifest: %w", err)
	}
	return append(content, '\n'), nil
}

// check holds the manifest to Slack's rules, so that Slack does not refuse it
// after the person has pasted it.
func (m appManifest) check() error {
	var errs []error
	length := func(what, text string, least, most int) {
		if n := utf8.RuneCountInString(text); n < least || n > most {
			errs = append(errs, fmt.Errorf("%s %q has %d characters; Slack takes %d to %d", what, text, n, least, most))
		}
	}
	length("the app's name", m.Display.Name, 1, maxAppName)
	length("the description", m.Display.Description, 1, maxAppDescription)
	length("the bot's name", m.Features.Bot.Name, 1, maxBotName)
	for _, c := range m.Features.Commands {
		length("the command", c.Command, 2, maxCommand)
		if !commandPattern.MatchString(c.Command) {
			errs = append(errs, fmt.Errorf("the command %q must be a slash and then small letters, digits, - or _", c.Command))
		}
	}
	if n := len(m.OAuth.Scopes.Bot); n == 0 || n > maxScopes {
		errs = append(errs, fmt.Errorf("%d bot scopes; Slack takes 1 to %d", n, maxScopes))
	}
	return errors.Join(errs...)
}
