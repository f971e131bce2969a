package jira

import (
	"net/http"
	"net/url"
	"strings"
)

// route is one call that the stand-in knows.
type route struct {
	name   string // the vendor's operationId where there is one
	method string
	path   []string // "{key}" is any segment
	serve  func(request) reply
}

// table lists the calls of the flavour that the stand-in plays. The first that fits
// is taken.
func (s *Server) table() []route {
	api := "/rest/api/2"
	if s.opts.Cloud {
		api = "/rest/api/3"
	}
	var out []route
	add := func(name, method, path string, serve func(request) reply) {
		out = append(out, route{name, method, strings.Split(strings.Trim(path, "/"), "/"), serve})
	}
	add("getCurrentUser", "GET", api+"/myself", s.myself)
	add("getCreateIssueMetaIssueTypes", "GET", api+"/issue/createmeta/{project}/issuetypes", s.issueTypes)
	add("getCreateIssueMetaIssueTypeId", "GET", api+"/issue/createmeta/{project}/issuetypes/{type}", s.fields)
	add("createIssue", "POST", api+"/issue", s.create)
	add("getIssue", "GET", api+"/issue/{key}", s.get)
	add("editIssue", "PUT", api+"/issue/{key}", s.edit)
	add("addComment", "POST", api+"/issue/{key}/comment", s.addComment)
	add("getComments", "GET", api+"/issue/{key}/comment", s.comments)
	add("setIssueProperty", "PUT", api+"/issue/{key}/properties/{property}", s.setProperty)
	add("createOrUpdateRemoteIssueLink", "POST", api+"/issue/{key}/remotelink", s.link)
	add("getRemoteIssueLinks", "GET", api+"/issue/{key}/remotelink", s.readLink)
	add("getTransitions", "GET", api+"/issue/{key}/transitions", s.moves)
	add("doTransition", "POST", api+"/issue/{key}/transitions", s.move)
	if !s.opts.Cloud {
		add("getAllProjects", "GET", api+"/project", s.allProjects)
		add("oldSearch", "GET", api+"/search", s.oldSearch)
		return out
	}
	add("searchProjects", "GET", api+"/project/search", s.projects)
	add("searchJQL", "POST", api+"/search/jql", s.search)
	add("oldSearch", "GET", api+"/search", gone)
	add("oldSearch", "POST", api+"/search", gone)
	add("oldSearch", "GET", "/rest/api/2/search", gone)
	add("oldSearch", "POST", "/rest/api/2/search", gone)
	desk := "/rest/servicedeskapi"
	add("getServiceDesks", "GET", desk+"/servicedesk", s.desks)
	add("getRequestTypes", "GET", desk+"/servicedesk/{desk}/requesttype", s.requestTypes)
	add("getRequestTypeFields", "GET", desk+"/servicedesk/{desk}/requesttype/{type}/field", s.form)
	add("createCustomerRequest", "POST", desk+"/request", s.raise)
	return out
}

// gone is what is left of the search that Cloud removed.
func gone(request) reply {
	return refuse(http.StatusGone, "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.")
}

func (s *Server) route(r *http.Request) (route, map[string]string, bool) {
	have := strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/")
	for _, rt := range s.routes {
		if vars, ok := fits(rt.path, have); ok && rt.method == r.Method {
			return rt, vars, true
		}
	}
	return route{}, nil, false
}

func fits(pattern, have []string) (map[string]string, bool) {
	if len(pattern) != len(have) {
		return nil, false
	}
	vars := map[string]string{}
	for i, p := range pattern {
		segment, err := url.PathUnescape(have[i])
		if err != nil {
			return nil, false
		}
		if name, ok := strings.CutPrefix(p, "{"); ok {
			vars[strings.TrimSuffix(name, "}")] = segment
		} else if p != segment {
			return nil, false
		}
	}
	return vars, true
}
