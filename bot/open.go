package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
)

// FatalError says that the Socket Mode connection cannot come back by itself: a
// person has to change something at Slack or in the configuration.
type FatalError struct {
	// Code is Slack's word, such as "link_disabled" or "invalid_auth".
	Code string
	// What says what happened; Do says what the admin must do.
	What, Do string
}

// Error says what happened and what to do.
func (e *FatalError) Error() string {
	return fmt.Sprintf("Slack ended the Socket Mode connection (%s): %s; %s", e.Code, e.What, e.Do)
}

// fatalError returns the error of a code that no retry can mend, or nil.
func fatalError(code string) *FatalError {
	const newToken = "create an app-level token with the scope connections:write under Basic Information and put it into the configuration" //nolint:gosec // advice, no token
	switch code {
	case "link_disabled":
		return &FatalError{code, "Socket Mode was switched off for the app", "switch it on under Settings, Socket Mode, of the app and start dw again"}
	case "invalid_auth", "not_authed", "token_expired":
		return &FatalError{code, "Slack does not accept the app-level token", newToken}
	case "token_revoked":
		return &FatalError{code, "the app-level token was revoked", newToken}
	case "account_inactive":
		return &FatalError{code, "the app was removed from the workspace", "install the app again and put its new tokens into the configuration"}
	case "missing_scope", "no_permission":
		return &FatalError{code, "the app-level token lacks the scope connections:write", newToken}
	case "not_allowed_token_type":
		return &FatalError{code, "the token is not an app-level token (it must begin with xapp-)", newToken}
	case "access_denied", "team_access_not_granted", "ekm_access_denied":
		return &FatalError{code, "the workspace does not let the app connect", "ask a workspace admin to approve the app"}
	case "http_404":
		return &FatalError{code, "there is no Slack API at the configured address", "correct slack.api_url, or remove it to use Slack itself"}
	default:
		return nil
	}
}

// ticket asks Slack for the address of one new connection.
func ticket(ctx context.Context, api webAPI) (string, error) {
	var answer struct {
		URL text `json:"url"`
	}
	err := api.call(ctx, "apps.connections.open", url.Values{}, &answer)
	if err != nil {
		if fatal := fatalError(codeOf(err)); fatal != nil {
			return "", fatal
		}
		return "", fmt.Errorf("ask Slack for a connection: %w", err)
	}
	if err := checkSocketURL(api.base, string(answer.URL)); err != nil {
		return "", err
	}
	return string(answer.URL), nil
}

// codeOf returns Slack's error code, or http_NNN of a bare status, or nothing.
func codeOf(err error) string {
	if s, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		return s.Err
	}
	if s, ok := errors.AsType[slack.StatusCodeError](err); ok {
		return fmt.Sprintf("http_%d", s.Code)
	}
	return ""
}

// checkSocketURL refuses an address that is no websocket, or that would carry
// what an encrypted API promised over an open line.
func checkSocketURL(base, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return errors.New("ask Slack for a connection: the answer holds no usable address")
	}
	if u.Scheme == "wss" || u.Scheme == "ws" && !strings.HasPrefix(base, "https:") {
		return nil
	}
	return fmt.Errorf("ask Slack for a connection: the answer's address has scheme %q, want wss", u.Scheme)
}

// newDialer returns a websocket dialer with the network of the HTTP client. Its
// write buffer holds any acknowledgement whole: Slack drops fragmented ones.
func newDialer(client *http.Client) *websocket.Dialer {
	d := &websocket.Dialer{
		Proxy:            http.ProxyFromEnvironment,
		HandshakeTimeout: handshakeTimeout,
		WriteBufferSize:  ackLimit + 1024,
	}
	if t, ok := client.Transport.(*http.Transport); ok {
		t = t.Clone() // another call may be setting the original up at this moment
		d.Proxy, d.NetDialContext, d.TLSClientConfig = t.Proxy, t.DialContext, t.TLSClientConfig
		if d.TLSClientConfig != nil {
			d.TLSClientConfig.NextProtos = nil // a websocket upgrade needs HTTP/1.1
		}
	}
	return d
}
