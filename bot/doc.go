// Package bot talks to Slack and knows nothing of what dw decides.
//
// [Socket] holds the Socket Mode connection: it takes type and envelope id
// from the raw frame, decodes only the fields that are needed, hands a typed
// [Event] to a [Handler] and acknowledges only what the handler has made
// durable. [Client] sends messages, paced and with errors that say what to do.
// [Identity] tells whether the person behind a click may be considered at all.
//
// Tokens never leave the package: no error, log line or printed value holds one.
package bot
