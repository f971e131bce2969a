package jira

import "net/http"

// FaultKind is a way in which a call goes wrong.
type FaultKind string

// The kinds of fault.
const (
	HangAfterEffect FaultKind = "hang_after_effect" // the effect happens, the answer never comes
	CutAfterEffect  FaultKind = "cut_after_effect"  // the effect happens, the connection is cut
	Status500       FaultKind = "status_500"        // before the effect
	TooMany         FaultKind = "too_many"          // 429, before the effect
	Expired         FaultKind = "expired"           // 401, as if the token ran out just now
	Garbled         FaultKind = "garbled"           // the effect happens, the answer is no JSON
)

// Fault makes the next call of a route go wrong.
type Fault struct {
	Call       string // "createIssue"
	Kind       FaultKind
	RetryAfter string // of TooMany; empty sends none
}

// Fail queues a fault for the next call of its route.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// takeFault counts a call and removes the first fault of it.
func (s *Server) takeFault(name string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[name]++
	for i, f := range s.faults {
		if f.Call == name {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			return f
		}
	}
	return Fault{}
}

// carryOut runs a call with its fault.
func (s *Server) carryOut(w http.ResponseWriter, r *http.Request, rt route, q request) {
	fault := s.takeFault(rt.name)
	switch fault.Kind {
	case Status500:
		write(w, refuse(http.StatusInternalServerError, "Internal server error"))
		return
	case Expired:
		write(w, refuse(http.StatusUnauthorized, "Client must be authenticated to access this resource."))
		return
	case TooMany:
		if fault.RetryAfter != "" {
			w.Header().Set("Retry-After", fault.RetryAfter)
		}
		write(w, refuse(http.StatusTooManyRequests, "Rate limit exceeded."))
		return
	}
	answer := s.run(rt, q)
	switch fault.Kind {
	case HangAfterEffect:
		select {
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
	case CutAfterEffect:
		panic(http.ErrAbortHandler) //nolint:forbidigo // the way of net/http to cut a connection
	case Garbled:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(answer.status)
		_, _ = w.Write([]byte("<html>maintenance</html>")) // the client may have gone
	default:
		write(w, answer)
	}
}
