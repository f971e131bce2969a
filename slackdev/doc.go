// Package slackdev is a local Slack workspace for development and tests: a
// subset of the Web API with Slack's own limits and error names, a Socket Mode
// server, and a web page on which a person reads channels, clicks buttons,
// fills modals and types commands as any user of the workspace.
//
// It holds everything in memory, listens on the loopback interface by default
// and gives whoever can reach the page the power to act as every user. A method
// or block type that it does not know is refused by name; it never answers
// success for something it did not do.
package slackdev
