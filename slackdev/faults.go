package slackdev

import (
	"net/http"
	"time"
)

// EveryMethod stands for all Web API methods and for "response_url" in Fail and
// FailFor.
const EveryMethod = "*"

// Fault is one way in which a Web API call fails. Make it with FaultError,
// FaultStatus, FaultRateLimit, FaultLost or FaultSlow.
type Fault struct {
	Code       string        // Slack's error name in the body
	Status     int           // HTTP status; 200 for an error in the body only
	RetryAfter time.Duration // for the header; 0 for none
	// AfterEffect carries the call out and then cuts the connection without an
	// answer, as a network failure would.
	AfterEffect bool
	// Delay is how long the call waits before anything is done with it.
	Delay time.Duration
}

// spell is a fault that lasts for a while.
type spell struct {
	fault Fault
	until time.Time // on the wall clock
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

// FaultSlow carries the call out after a wait.
func FaultSlow(wait time.Duration) Fault { return Fault{Delay: wait} }

// Fail makes the next n calls of a Web API method, for example
// "chat.postMessage", or of EveryMethod, fail in this way. Calls add up in order.
func (s *Server) Fail(method string, n int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.faults[method] = append(s.faults[method], fault)
	}
}

// FailFor makes every call of a method, or of EveryMethod, fail in this way for a
// while of the wall clock. A second one for the same method takes its place.
func (s *Server) FailFor(method string, d time.Duration, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spells[method] = spell{fault: fault, until: s.opts.Wall().Add(d)}
}

// Heal ends every fault: those of the Web API, lost acknowledgements, duplicates,
// and Revoke. Half-open connections stay as they are.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.faults)
	clear(s.spells)
	s.dropAcks, s.duplicate, s.revoked = 0, 0, ""
}

// Revoke makes every call fail as it does when the tokens no longer hold: code is
// "invalid_auth", "token_revoked" or "account_inactive".
func (s *Server) Revoke(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = code
}

// takeFault returns the fault of a call; the zero Fault is none. Counted faults
// go before those that last.
func (s *Server) takeFault(method string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range []string{method, EveryMethod} {
		if queue := s.faults[key]; len(queue) > 0 {
			s.faults[key] = queue[1:]
			return queue[0]
		}
		if spell, ok := s.spells[key]; ok && s.opts.Wall().Before(spell.until) {
			return spell.fault
		}
	}
	return Fault{}
}

// failed waits out a fault's delay and answers for a fault that hinders the call;
// it reports whether the call is over.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, method string, f Fault) bool {
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return true
		case <-s.ctx.Done():
			hangUp(w)
			return true
		}
	}
	if f.Status == 0 {
		return false
	}
	s.answerFault(w, method, f)
	return true
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

// HalfOpen makes every connection of now go dead without a close, as a router
// that forgot it would: nothing goes out, no pings either, and what the client
// writes is lost. New connections are whole.
func (s *Server) HalfOpen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sock := range s.sockets {
		sock.dead.Store(true)
	}
	s.journal("half-open", "connections", len(s.sockets))
}
