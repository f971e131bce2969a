package jira

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// findPage is how many issues a search answers at once; with their descriptions
// they stay under the limit of an answer.
const findPage = 50

// found is a page of a search. Cloud goes on by token, Data Center by number.
type found struct {
	Issues []foundIssue `json:"issues"`
	Next   string       `json:"nextPageToken"`
	Total  int          `json:"total"`
}

// Find looks for the issue of an incident and a target among those that the
// account of dw created in the last FindDays. It is the second net, behind dw's own
// record: the index of Jira lags by seconds, so that "not found" right after an
// unclear answer proves nothing. Two issues with one tag are an error: a person must
// choose.
func (c *Client) Find(ctx context.Context, incident, target string) (Issue, bool, error) {
	tag := Tag{Incident: incident, Target: target}
	if err := tag.check(); err != nil {
		return Issue{}, false, err
	}
	var hits []foundIssue
	next, read := "", 0
	for range pages {
		p, err := c.searchFor(ctx, "find the ticket of "+incident, c.jql(), next, read)
		if err != nil {
			return Issue{}, false, err
		}
		for _, i := range p.Issues {
			known := slices.ContainsFunc(hits, func(h foundIssue) bool { return h.ID == i.ID })
			if !known && tag.on(i) {
				hits = append(hits, i)
			}
		}
		read += len(p.Issues)
		if next = p.Next; len(p.Issues) == 0 || c.opts.Cloud && next == "" || !c.opts.Cloud && read >= p.Total {
			return c.only(incident, hits)
		}
	}
	if len(hits) == 0 {
		return Issue{}, false, fmt.Errorf("jira: find the ticket of %s: not among the %d newest issues of dw's account, and there are more; a person must look", incident, read)
	}
	return c.only(incident, hits)
}

func (c *Client) only(incident string, hits []foundIssue) (Issue, bool, error) {
	switch len(hits) {
	case 0:
		return Issue{}, false, nil
	case 1:
		return c.issue(hits[0]), true, nil
	}
	return Issue{}, false, fmt.Errorf("jira: find the ticket of %s: %s and %s both carry it; a person must choose", incident, hits[0].Key, hits[1].Key)
}

// jql is bounded by creator and time. The entity property is not in it, since
// Jira indexes only the properties that an app declared.
func (c *Client) jql() string {
	return fmt.Sprintf("creator = currentUser() AND created >= -%dd ORDER BY created DESC", c.opts.FindDays)
}

// searchFor reads one page. Cloud removed the old search (410) for search/jql; Data
// Center has only the old one.
func (c *Client) searchFor(ctx context.Context, name, jql, next string, read int) (found, error) {
	var out found
	fields := []string{"summary", "status", "description"}
	if !c.opts.Cloud {
		err := c.send(ctx, call{name: name, method: http.MethodGet, path: c.api("search"), query: url.Values{
			"jql": {jql}, "fields": {"summary,status,description"}, "startAt": {strconv.Itoa(read)}, "maxResults": {strconv.Itoa(findPage)},
		}}, nil, &out)
		return out, err
	}
	body := map[string]any{"jql": jql, "fields": fields, "properties": []string{property}, "maxResults": findPage}
	if next != "" {
		body["nextPageToken"] = next
	}
	c.mu.Lock()
	if len(c.recent) > 0 {
		body["reconcileIssues"] = slices.Clone(c.recent)
	}
	c.mu.Unlock()
	err := c.send(ctx, call{name: name, method: http.MethodPost, path: c.api("search", "jql")}, body, &out)
	return out, err
}
