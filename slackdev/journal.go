package slackdev

import "fmt"

// journal writes one line of JSON: the server's time, what happened, and pairs
// of key and value.
func (s *Server) journal(what string, pairs ...any) {
	line := map[string]any{"at": s.opts.Now().UTC(), "what": what}
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := pairs[i+1]; v != nil {
			line[fmt.Sprint(pairs[i])] = v
		}
	}
	raw, err := marshalPlain(line)
	if err != nil {
		s.opts.Logger.Error("encode journal line", "error", err)
		return
	}
	s.journalMu.Lock()
	defer s.journalMu.Unlock()
	if _, err := s.opts.Journal.Write(append(raw, '\n')); err != nil {
		s.opts.Logger.Error("write journal", "error", err)
	}
}
