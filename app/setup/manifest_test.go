package setup_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dw/app/setup"
	"dw/bot"

	"github.com/slack-go/slack"
)

// TestManifestIsSlacks: the manifest decodes without a rest into slack-go's own
// description of one, with Socket Mode and interactivity on, exactly the scopes
// that dw's calls need, no URL and no event that nobody handles.
func TestManifestIsSlacks(t *testing.T) {
	t.Parallel()
	content, err := setup.Manifest("Data Watch", "/watch")
	if err != nil {
		t.Fatal(err)
	}
	var m slack.Manifest
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		t.Fatalf("slack-go does not know it: %v\n%s", err, content)
	}
	if !m.Settings.SocketModeEnabled || m.Settings.Interactivity == nil || !m.Settings.Interactivity.IsEnabled {
		t.Errorf("without Socket Mode and interactivity no button works: %s", content)
	}
	var needed []string
	for _, scope := range bot.Scopes() {
		needed = append(needed, scope.Name)
	}
	if !slices.Equal(m.OAuthConfig.Scopes.Bot, needed) {
		t.Errorf("scopes %v, want %v", m.OAuthConfig.Scopes.Bot, needed)
	}
	if len(m.Features.SlashCommands) != 1 || m.Features.SlashCommands[0].Command != "/watch" || m.Features.BotUser.DisplayName != "Data Watch" {
		t.Errorf("command or bot are wrong: %s", content)
	}
	if bytes.Contains(content, []byte("http")) {
		t.Errorf("it names a URL, which Socket Mode needs none of: %s", content)
	}
}

// TestManifestLimits: what Slack would refuse is refused before it is pasted.
func TestManifestLimits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ app, command, says string }{
		"longest name":    {strings.Repeat("ä", 35), "/dw", ""},
		"name too long":   {strings.Repeat("ä", 36), "/dw", "36 characters; Slack takes 1 to 35"},
		"no name":         {"", "/dw", "0 characters"},
		"longest command": {"dw", "/" + strings.Repeat("a", 31), ""},
		"long command":    {"dw", "/" + strings.Repeat("a", 32), "33 characters"},
		"no slash":        {"dw", "dw", "must be a slash"},
		"capitals":        {"dw", "/DW", "small letters"},
		"spaces":          {"dw", "/d w", "small letters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := setup.Manifest(tc.app, tc.command)
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}
