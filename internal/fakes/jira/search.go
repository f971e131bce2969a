package jira

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	orderBy  = regexp.MustCompile(`(?i)\s*\border by\b.*$`)
	andWord  = regexp.MustCompile(`(?i)\s+and\s+`)
	days     = regexp.MustCompile(`(?i)^created\s*>=\s*"?-(\d+)d"?$`)
	creator  = regexp.MustCompile(`(?i)^creator\s*=\s*currentUser\(\)$`)
	project  = regexp.MustCompile(`(?i)^project\s*=\s*"?([A-Z0-9_]+)"?$`)
	property = regexp.MustCompile(`(?i)^issue\.property\[[^\]]+\]\.\S+\s*=\s*.+$`)
)

// matcher reads the part of JQL that the stand-in knows; false is a query that it
// refuses. A clause on an entity property finds nothing: Jira indexes only the
// properties that an app declared.
func (s *Server) matcher(jql string) (func(*Issue) bool, bool) {
	text := strings.TrimSpace(orderBy.ReplaceAllString(jql, ""))
	if text == "" {
		return nil, false
	}
	var tests []func(*Issue) bool
	for _, clause := range andWord.Split(text, -1) {
		switch {
		case days.MatchString(clause):
			n, err := strconv.Atoi(days.FindStringSubmatch(clause)[1])
			if err != nil {
				return nil, false
			}
			since := s.opts.Now().Add(-time.Duration(n) * 24 * time.Hour)
			tests = append(tests, func(i *Issue) bool { return !i.Created.Before(since) })
		case creator.MatchString(clause): // every issue of the stand-in is dw's
		case project.MatchString(clause):
			key := strings.ToUpper(project.FindStringSubmatch(clause)[1])
			tests = append(tests, func(i *Issue) bool { return i.Project == key })
		case property.MatchString(clause):
			tests = append(tests, func(*Issue) bool { return false })
		default:
			return nil, false
		}
	}
	return func(i *Issue) bool {
		return !slices.ContainsFunc(tests, func(t func(*Issue) bool) bool { return !t(i) })
	}, true
}

// indexed lists what a search finds, the newest first. An issue is not found by the
// first searches after its creation, unless it is to be reconciled.
func (s *Server) indexed(jql string, reconcile []int64) ([]*Issue, bool) {
	match, ok := s.matcher(jql)
	if !ok {
		return nil, false
	}
	var out []*Issue
	for _, i := range slices.Backward(s.issues) {
		id, err := strconv.ParseInt(i.ID, 10, 64)
		known := i.unknown <= 0 || err == nil && slices.Contains(reconcile, id)
		if !i.deleted && known && match(i) {
			out = append(out, i)
		}
	}
	for _, i := range s.issues {
		i.unknown--
	}
	return out, true
}

func unbounded() reply {
	return refuse(http.StatusBadRequest, "Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
}

// search is search/jql: only what is asked for, no total, and pages by token.
func (s *Server) search(q request) reply {
	var in struct {
		JQL        string   `json:"jql"`
		Fields     []string `json:"fields"`
		Properties []string `json:"properties"`
		Max        int      `json:"maxResults"`
		Next       string   `json:"nextPageToken"`
		Reconcile  []int64  `json:"reconcileIssues"`
	}
	if json.Unmarshal(q.body, &in) != nil {
		return refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again.")
	}
	hits, ok := s.indexed(in.JQL, in.Reconcile)
	if !ok {
		return unbounded()
	}
	if len(in.Reconcile) > 50 || len(in.Properties) > 5 {
		return refuse(http.StatusBadRequest, "Too many reconcileIssues or properties.")
	}
	from, ok := offset(in.Next)
	if !ok {
		return refuse(http.StatusBadRequest, "Invalid nextPageToken.")
	}
	if in.Max <= 0 {
		in.Max = 50
	}
	from = min(from, len(hits))
	part := hits[from:min(from+in.Max, len(hits))]
	issues := []any{}
	for _, i := range part {
		if len(in.Fields) == 0 {
			issues = append(issues, map[string]any{"id": i.ID})
			continue
		}
		issues = append(issues, i.view(q.base, in.Fields, in.Properties))
	}
	body := map[string]any{"issues": issues, "isLast": from+len(part) >= len(hits)}
	if from+len(part) < len(hits) {
		body["nextPageToken"] = base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(from + len(part))))
	}
	return reply{http.StatusOK, body}
}

func offset(token string) (int, bool) {
	if token == "" {
		return 0, true
	}
	text, err := base64.StdEncoding.DecodeString(token)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(string(text))
	return n, err == nil && n >= 0
}

// oldSearch is the search of Data Center, which pages by number and shows no
// properties.
func (s *Server) oldSearch(q request) reply {
	hits, ok := s.indexed(q.query("jql"), nil)
	if !ok {
		return unbounded()
	}
	var all []any
	for _, i := range hits {
		all = append(all, i.view(q.base, strings.Split(q.query("fields"), ","), nil))
	}
	part, from, size := window(q, "startAt", "maxResults", all)
	return reply{http.StatusOK, map[string]any{"startAt": from, "maxResults": size, "total": len(all), "issues": part}}
}
