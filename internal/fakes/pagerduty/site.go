package pagerduty

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
)

// sitePath leads to the page of an incident, which the vendor has on a host of its
// own: under this one the API has the plain path.
const sitePath = "/site/incidents/"

// sitePage is an incident as its page shows it. Everything in it was sent by others.
const sitePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5"><title>{{.Title}}</title>
<style>body{font:15px/1.5 sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}dt{font-weight:bold}dd,pre{margin:0 0 .6rem;white-space:pre-wrap}</style></head>
<body><p>A stand-in of PagerDuty. {{.Service.Name}}, incident {{.Number}}</p>
<h1>{{.Title}}</h1>
<p id="state"><b>{{.Status}}</b>{{with .On}}, assigned to {{.}}{{end}}; severity {{.Severity}}; dedup key {{.Key}}</p>
<dl>{{range .Facts}}<dt>{{.Label}}</dt><dd>{{.Text}}</dd>{{end}}</dl>
<h2>Links</h2><ul>{{range .Links}}<li><a href="{{.}}">{{.}}</a></li>{{end}}</ul>
<h2>Notes</h2>{{range .Notes}}<p>{{.User.Name}}, {{.At.UTC.Format "15:04:05 UTC"}}</p><pre>{{.Content}}</pre>{{else}}<p>None.</p>{{end}}
<h2>What happened</h2><ol>{{range .Log}}<li>{{.At.UTC.Format "15:04:05 UTC"}} {{.What}} by {{.Who}}</li>{{end}}</ol>
</body></html>
`

// fact is one of the details of the event.
type fact struct {
	Label string
	Text  any
}

// showIncident is the page of an incident, for people.
func (s *Server) showIncident(w http.ResponseWriter, r *http.Request) {
	shown, ok := s.shown(r.PathValue("id"))
	if !ok {
		http.Error(w, "there is no such incident", http.StatusNotFound)
		return
	}
	page, err := template.New("incident").Parse(sitePage)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	// The client may have gone; there is nobody else to tell.
	_ = page.Execute(w, shown)
}

// shownIncident is what the page shows beside the incident itself.
type shownIncident struct {
	Incident
	On    string // names of those who are called
	Facts []fact // by label
}

func (s *Server) shown(id string) (out shownIncident, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.byID(id)
	if in == nil {
		return out, false
	}
	out.Incident = in.copied()
	for i, user := range in.Assigned {
		if i > 0 {
			out.On += ", "
		}
		out.On += s.user(user).Name
	}
	for label, text := range in.Details {
		out.Facts = append(out.Facts, fact{label, text})
	}
	slices.SortFunc(out.Facts, func(a, b fact) int { return cmp.Compare(a.Label, b.Label) })
	return out, true
}
