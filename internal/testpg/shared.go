package testpg

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Shared is the server that all tests of one test binary use. Its zero value is
// ready; a package declares one and ends it in TestMain.
type Shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Database starts the server at its first call and returns the DSN of a new,
// empty database on it.
func (s *Shared) Database(t testing.TB) string {
	t.Helper()
	return s.Server(t).Database(t)
}

// Server returns the server, started at the first call. Tests must not stop it.
func (s *Shared) Server(t testing.TB) *Server {
	t.Helper()
	s.once.Do(func() { s.server, s.err = start() })
	if errors.Is(s.err, errNoServer) {
		missing(t, s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.server
}

// Main runs the tests of a binary, ends the server and returns the exit code.
func (s *Shared) Main(m *testing.M) int {
	code := m.Run()
	if s.server == nil {
		return code
	}
	if err := s.server.remove(); err != nil {
		fmt.Fprintln(os.Stderr, "end PostgreSQL server:", err)
		return max(code, 1)
	}
	return code
}
