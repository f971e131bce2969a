package bot

import (
	"net/http"
	"strings"
	"time"
)

// DefaultAPIURL is where Slack's Web API lives.
const DefaultAPIURL = "https://slack.com/api/"

const (
	idlePerHost = 64 // the default of 2 opens a new connection for most posts under load
	httpTimeout = 15 * time.Second
)

// NewHTTPClient returns the HTTP client that the package uses unless it is given
// another: enough idle connections for one busy host, a time-out of 15 seconds,
// and no following of redirects, which would carry the token to another host.
func NewHTTPClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idlePerHost
	return &http.Client{
		Transport:     transport,
		Timeout:       httpTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// apiURL gives the base URL its final slash, which Slack's clients rely on.
func apiURL(url string) string {
	if url == "" {
		return DefaultAPIURL
	}
	return strings.TrimSuffix(url, "/") + "/"
}
