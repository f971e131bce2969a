package pagerduty

import (
	"net/http"
)

// FaultKind is a way in which a call goes wrong.
type FaultKind string

// The kinds of fault.
const (
	HangAfterEffect FaultKind = "hang_after_effect" // the effect happens, the answer never comes
	CutAfterEffect  FaultKind = "cut_after_effect"  // the effect happens, the connection is cut
	OddAfterEffect  FaultKind = "odd_after_effect"  // the effect happens, the answer is a page of a proxy with status 200
	Status500       FaultKind = "status_500"        // before the effect, not JSON
	Status429       FaultKind = "status_429"        // before the effect
)

// Fault makes the next call of an operation go wrong.
type Fault struct {
	Operation  string // "createIncidentNote"
	Kind       FaultKind
	RetryAfter string // header of a 429, seconds; empty: none
	Reset      string // header ratelimit-reset of a 429, seconds; empty: none
}

// Fail queues a fault for the next call of its operation.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// Forbid refuses every call of an operation from now on: the key has no right to
// it.
func (s *Server) Forbid(operation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forbidden == nil {
		s.forbidden = map[string]bool{}
	}
	s.forbidden[operation] = true
}

// takeFault removes the first fault of an operation. The lock is held.
func (s *Server) takeFault(name string) (Fault, bool) {
	for i, f := range s.faults {
		if f.Operation == name {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			return f, true
		}
	}
	return Fault{}, false
}

// before answers in place of the operation and reports whether it did.
func (f Fault) before(w http.ResponseWriter) bool {
	switch f.Kind {
	case Status500:
		http.Error(w, "<html>internal server error</html>", http.StatusInternalServerError)
	case Status429:
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		if f.Reset != "" {
			w.Header().Set("Ratelimit-Limit", "960")
			w.Header().Set("Ratelimit-Remaining", "0")
			w.Header().Set("Ratelimit-Reset", f.Reset)
		}
		write(w, reply{http.StatusTooManyRequests, refusal(2020, "Rate Limit Exceeded")})
	default:
		return false
	}
	return true
}

// after loses the answer of an operation and reports whether it did.
func (s *Server) after(w http.ResponseWriter, r *http.Request, f Fault) bool {
	switch f.Kind {
	case HangAfterEffect:
		select {
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
	case CutAfterEffect:
		panic(http.ErrAbortHandler) //nolint:forbidigo // the way of net/http to cut a connection
	case OddAfterEffect:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>signed out</html>")) // the client may have gone
	default:
		return false
	}
	return true
}
