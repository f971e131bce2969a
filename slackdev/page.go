package slackdev

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
)

//go:embed assets
var assets embed.FS

// pageTemplates is the parsed page; it is only read.
type pageTemplates struct{ page *template.Template }

func newPageTemplates() (*pageTemplates, error) {
	t, err := template.ParseFS(assets, "assets/page.html")
	if err != nil {
		return nil, err
	}
	return &pageTemplates{page: t}, nil
}

func (s *Server) pageRoutes(mux *http.ServeMux) {
	protection := http.NewCrossOriginProtection()
	guard := func(h http.HandlerFunc) http.Handler { return protection.Handler(localOnly(h)) }
	mux.Handle("GET /{$}", guard(s.servePage))
	mux.Handle("GET /assets/{file}", guard(serveAsset))
	mux.Handle("GET /_dev/state", guard(s.serveState))
	mux.Handle("GET /_dev/events", guard(s.serveEvents))
	mux.Handle("GET /_dev/file/{id}", guard(s.serveFile))
	mux.Handle("POST /_dev/fault", guard(s.serveFault))
	mux.Handle("POST /_dev/change", guard(s.serveChange))
	mux.Handle("POST /_dev/event", guard(s.serveEvent))
	mux.Handle("POST /_dev/{act}", guard(s.serveAct))
}

// localOnly refuses names that a stranger's DNS could point at this machine,
// and sets the headers of every page.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if host != "localhost" && net.ParseIP(host) == nil {
			http.Error(w, "open this page by IP address or as localhost", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	snap := s.Snapshot()
	q := r.URL.Query()
	data, err := s.pageData(snap, q.Get("user"), q.Get("channel"), q.Get("thread"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	var b bytes.Buffer
	if err := s.page.page.Execute(&b, data); err != nil {
		http.Error(w, fmt.Sprintf("draw the page: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes()) //nolint:errcheck // the client has gone; nobody is left to tell
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	switch name := r.PathValue("file"); name {
	case "page.css", "page.js", "icon.svg":
		http.ServeFileFS(w, r, assets, "assets/"+name) //nolint:gosec // one of three names
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) serveState(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.Snapshot())
}

// serveEvents tells the page of each change by server-sent events.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	defer s.running.Done()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	for {
		snap, changed := s.snapshot()
		if _, err := fmt.Fprintf(w, "data: %d\n\n", snap.Seq); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}
