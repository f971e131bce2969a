package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"dw/checks"
	"dw/config"
	"dw/intake"
	"dw/intake/signals"
)

// sendWithin bounds one delivery to the running dw.
const sendWithin = 2 * time.Minute

// SendSignals hands a payload of a configured source to the dw that runs with
// this configuration, which decodes and records it. url is the address of that
// dw, empty for server.listen.
func SendSignals(ctx context.Context, c *config.Config, url, source string, body []byte) (signals.Answer, error) {
	var names []string
	for _, s := range c.Signals.Sources {
		if s.Name == source {
			var answer signals.Answer
			err := post(ctx, c, url, "/intake/signals/"+source, body, credential(s.Tokens, s.Keys), &answer)
			return answer, err
		}
		names = append(names, s.Name)
	}
	if near := checks.Near(source, names); len(near) > 0 {
		names = near
	}
	return signals.Answer{}, fmt.Errorf("there is no source %q under signals; there are: %s", source, strings.Join(names, ", "))
}

// credential sets what lets a request in: a token, else a signature.
func credential(tokens, keys []config.Secret) func(http.Header, []byte) {
	return func(h http.Header, body []byte) {
		switch {
		case len(tokens) > 0:
			h.Set("Authorization", "Bearer "+tokens[0].Reveal())
		case len(keys) > 0:
			h.Set(intake.SignatureHeader, intake.Sign(keys[0].Reveal(), body))
		}
	}
}

// listenAddress is server.listen as an address to call: an address that stands
// for every interface is reached on this machine.
func listenAddress(c *config.Config) (string, error) {
	host, port, err := net.SplitHostPort(c.Server.Listen)
	if err != nil {
		return "", fmt.Errorf("server.listen: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

// post sends JSON to the running dw and reads its answer.
func post(ctx context.Context, c *config.Config, url, path string, body []byte, let func(http.Header, []byte), into any) error {
	if url == "" {
		var err error
		if url, err = listenAddress(c); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(url, "/")+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send to dw: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	let(request.Header, body)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("send to dw, which must be running: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end below
	text, err := io.ReadAll(io.LimitReader(response.Body, intake.MaxBody))
	if err != nil {
		return fmt.Errorf("read dw's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return refusedText(response.StatusCode, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read dw's answer: %w", err)
	}
	return nil
}

func refusedText(status int, text []byte) error {
	var no struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &no) != nil || no.Error == "" {
		return fmt.Errorf("dw answers %d: does it run with this configuration?", status)
	}
	return fmt.Errorf("dw answers %d: %s", status, no.Error)
}
