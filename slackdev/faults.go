package slackdev

import (
	"net/http"
	"time"
)

// Fault is one way in which a Web API call fails. Make it with FaultError,
// FaultStatus, FaultRateLimit or FaultLost.
type Fault struct {
	Code       string        // Slack's error name in the body
	Status     int           // HTTP status; 200 for an error in the body only
	RetryAfter time.Duration // for the header; 0 for none
	// AfterEffect carries the call out and then cuts the connection without an
	// answer, as a network failure would.
	AfterEffect bool
}

// FaultError answers HTTP 200 with "ok": false and this error name.
func FaultError(code string) Fault { return Fault{Code: code, Status: http.StatusOK} }

// FaultStatus answers with this HTTP status, for example 500, and no JSON.
func FaultStatus(status int) Fault { return Fault{Status: status} }

// FaultRateLimit answers 429, "ratelimited" and a Retry-After of whole seconds.
func FaultRateLimit(wait time.Duration) Fault {
	return Fault{Code: "ratelimited", Status: http.StatusTooManyRequests, RetryAfter: wait}
}

// FaultLost carries the call out and loses the answer.
func FaultLost() Fault { return Fault{AfterEffect: true} }

// Fail makes the next n calls of a Web API method, for example
// "chat.postMessage", fail in this way. Calls add up in order.
func (s *Server) Fail(method string, n int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.faults[method] = append(s.faults[method], fault)
	}
}

func (s *Server) takeFault(method string) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.faults[method]
	if len(queue) == 0 {
		return Fault{}, false
	}
	s.faults[method] = queue[1:]
	return queue[0], true
}

func (s *Server) answerFault(w http.ResponseWriter, method string, f Fault) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", retryAfter(f.RetryAfter))
	}
	if f.Code != "" {
		s.answer(w, method, f.Status, refuse(f.Code).body())
		return
	}
	s.journal("call", "method", method, "status", f.Status)
	http.Error(w, http.StatusText(f.Status), f.Status)
}

// hangUp cuts the connection without an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	conn.Close() //nolint:errcheck // it is cut on purpose
}

// DropAcks makes the server lose the next n acknowledgements.
func (s *Server) DropAcks(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropAcks += n
}

// Duplicate makes the server deliver each of the next n envelopes twice, with
// the same envelope id, perhaps over different connections.
func (s *Server) Duplicate(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.duplicate += n
}
