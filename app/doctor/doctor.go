// Package doctor examines an installation: the configuration, Slack, the people,
// the connections, the clock and dw's own state. It changes nothing, posts
// nothing and opens no Socket Mode connection; the worst it does is ask.
package doctor

import (
	"context"
	"time"

	"dw/app"
	"dw/bot"
	"dw/config"
)

// Status is how one thing was found.
type Status string

// The statuses of a Finding.
const (
	OK      Status = "ok"
	Warn    Status = "warn" // dw works, less well or not for long
	Fail    Status = "fail" // dw does not start, or does not do what was configured
	Skipped Status = "skipped"
)

// Finding is one thing that was looked at.
type Finding struct {
	Section string `json:"section"`
	Status  Status `json:"status"`
	What    string `json:"what"` // what was found; text of other systems in it is not escaped
	Do      string `json:"do,omitempty"`
	Source  string `json:"source,omitempty"` // who says so: a method, a file with its line
}

// Report is everything that was looked at, in the order of the sections.
type Report struct {
	Findings []Finding `json:"findings"`
	Next     string    `json:"next"` // the one thing to do next
}

// Failed reports whether something failed.
func (r Report) Failed() bool { return r.Count(Fail) > 0 }

// Count returns how many findings have a status.
func (r Report) Count(s Status) int {
	n := 0
	for _, f := range r.Findings {
		if f.Status == s {
			n++
		}
	}
	return n
}

// Options say what is examined.
type Options struct {
	Config string         // path of the configuration file
	From   config.Sources // of the environment and of files
	Now    func() time.Time
}

// section is one part of the examination.
type section struct {
	name    string
	examine func(*examination, context.Context) []Finding
}

// sections are examined in this order: each may use what an earlier one found.
func sections() []section {
	return []section{
		{"config", (*examination).config},
		{"slack", (*examination).slack},
		{"channels", (*examination).channels},
		{"people", (*examination).people},
		{"connections", (*examination).connections},
		{"lineage", (*examination).lineage},
		{"dagster", (*examination).dagster},
		{"pagerduty", (*examination).pagerduty},
		{"jira", (*examination).jira},
		{"clock", (*examination).clock},
		{"store", (*examination).store},
	}
}

// examination is what the sections share.
type examination struct {
	o       Options
	c       *config.Config      // nil where the file cannot be parsed
	project *app.Project        // nil where the file is wrong beyond its Slack section
	client  *bot.Client         // nil without a bot token
	self    bot.Self            // empty where Slack did not accept the token
	ahead   time.Duration       // by how much this clock is before Slack's
	ids     map[string]string   // Slack ids of who may decide, by the name of the file
	members map[string][]string // of groups, likewise
}

// section fills in the name of the section itself.
type found struct{ list []Finding }

func (f *found) add(status Status, source, do, what string) {
	f.list = append(f.list, Finding{Status: status, What: what, Do: do, Source: source})
}

func (f *found) ok(source, what string) { f.add(OK, source, "", what) }

func (f *found) skip(what string) { f.add(Skipped, "", "", what) }

// Run examines everything. It does not fail: what could not be asked is a
// finding.
func Run(ctx context.Context, o Options) Report {
	x := &examination{o: o, members: map[string][]string{}}
	defer x.close()
	var r Report
	for _, s := range sections() {
		for _, f := range s.examine(x, ctx) {
			f.Section = s.name
			r.Findings = append(r.Findings, f)
		}
	}
	r.Next = r.next(o.Config)
	return r
}

func (x *examination) close() {
	if x.client != nil {
		x.client.Close()
	}
	if x.project != nil {
		_ = x.project.Close() // only read
	}
}

// next is what the first failure asks for, else the first warning, else to start.
func (r Report) next(path string) string {
	for _, status := range []Status{Fail, Warn} {
		for _, f := range r.Findings {
			if f.Status == status && f.Do != "" {
				return f.Do
			}
		}
	}
	return "start dw: dw run -c " + path
}

// asks reports whether a system can be asked; where it is not configured, or the
// configuration is wrong, it adds why not.
func (x *examination) asks(f *found, configured bool, without string) bool {
	switch {
	case !configured:
		f.skip(without)
	case x.project == nil:
		f.skip("the configuration is wrong; correct it first")
	default:
		return true
	}
	return false
}
