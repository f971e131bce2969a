package slackdev

import "net/http"

type pageTemplates struct{}

func newPageTemplates() (*pageTemplates, error) { return &pageTemplates{}, nil }

func (s *Server) pageRoutes(mux *http.ServeMux) {}
