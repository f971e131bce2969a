// Package demo plays the worked day: an estate with real rows and real files in
// one folder, a local Slack workspace, stand-ins of the vendors that do real
// work, and a conductor that moves the story's clock while an ordinary dw does
// what it would do anywhere. Nothing is mocked inside dw: the conductor sees what
// an outsider sees.
//
// Every word of the story stands here and in no other package.
package demo
