package app

import (
	"fmt"
	"log/slog"

	"dw/bot"
	"dw/config"
	"dw/receipts"
)

// redactorOf knows every secret value of a configuration.
func redactorOf(c *config.Config) *receipts.Redactor {
	return receipts.NewRedactor(c.SecretValues()...)
}

// redactAttr takes secrets out of what is logged: messages, strings, and values
// that print themselves, such as errors.
func redactAttr(r *receipts.Redactor) func([]string, slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		switch value := a.Value.Resolve(); value.Kind() { //nolint:exhaustive // the others hold no text
		case slog.KindString:
			text, _ := r.Text(value.String())
			a.Value = slog.StringValue(text)
		case slog.KindAny:
			if text, found := r.Text(fmt.Sprint(value.Any())); found != nil {
				a.Value = slog.StringValue(text)
			}
		}
		return a
	}
}

// withoutSecrets takes secrets out of what a person typed, before it is stored or
// repeated anywhere.
func withoutSecrets(r *receipts.Redactor, e bot.Event) bot.Event {
	switch e := e.(type) {
	case bot.Command:
		e.Text, _ = r.Text(e.Text)
		return e
	case bot.Submission:
		values := make(map[string]map[string]string, len(e.Values))
		for block, fields := range e.Values {
			values[block] = make(map[string]string, len(fields))
			for action, text := range fields {
				values[block][action], _ = r.Text(text)
			}
		}
		e.Values = values
		return e
	}
	return e
}
