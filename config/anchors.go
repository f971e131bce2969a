package config

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Anchors are places that dw cannot rewrite, where its checkpoints are put.
type Anchors struct {
	Every        Duration   `yaml:"every"`         // at most so often, and only for a log that grew; default 1h
	SlackChannel string     `yaml:"slack_channel"` // id
	Git          *GitAnchor `yaml:"git"`
}

// Any reports whether a place is named.
func (a Anchors) Any() bool { return a.SlackChannel != "" || a.Git != nil }

// GitAnchor is a repository that takes checkpoints as files.
type GitAnchor struct {
	Dir    string `yaml:"dir"`    // of a repository on this machine; made where it is missing
	Branch string `yaml:"branch"` // default dw-anchors
	Remote string `yaml:"remote"` // pushed to after each commit: a name of the repository or an address; default none
}

// defaultBranch keeps checkpoints apart from whatever else the repository holds.
const defaultBranch = "dw-anchors"

// leastAnchors is the shortest pause between two anchors: each is a message and a
// commit.
const leastAnchors = time.Second

// branchPattern keeps a branch's name from being read as an option or a path.
var branchPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

func (a *Anchors) applyDefaults(folder string) {
	if a.Git == nil {
		return
	}
	a.Git.Dir = resolve(folder, a.Git.Dir)
	setDefault(&a.Git.Branch, defaultBranch)
}

func (c *Config) checkAnchors(add adder) {
	a, key := c.Receipts.Anchors, "receipts.anchors"
	if ch := a.SlackChannel; ch != "" && !channelPattern.MatchString(ch) {
		add(key+".slack_channel", "%q is no channel id: it begins with C or G, and stands at the end of the channel's details in Slack", ch)
	}
	if a.Every != 0 && time.Duration(a.Every) < leastAnchors {
		add(key+".every", "is shorter than %s", leastAnchors)
	}
	if a.Every != 0 && !a.Any() {
		add(key+".every", "needs slack_channel or git")
	}
	if a.Git == nil {
		return
	}
	switch info, err := os.Stat(filepath.Dir(a.Git.Dir)); {
	case a.Git.Dir == "":
		add(key+".git.dir", "is missing: the folder of a Git repository on this machine")
	case err != nil || !info.IsDir():
		add(key+".git.dir", "%s is in no folder that exists", a.Git.Dir)
	}
	if !branchPattern.MatchString(a.Git.Branch) {
		add(key+".git.branch", "%q is no name of a branch", a.Git.Branch)
	}
	if r := a.Git.Remote; r != "" && r[0] == '-' {
		add(key+".git.remote", "%q begins with a dash", r)
	}
}
