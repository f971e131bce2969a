// Package testpg starts real PostgreSQL servers for tests: one for all tests of
// a test binary, and private ones for tests that stop or restart theirs.
//
// The server's programs are looked for in PATH and where Debian puts them. Where
// there are none, a test is skipped, and fails when CI=true.
package testpg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	startTimeout = 60 * time.Second
	superuser    = "dw_test"
)

// Server is one running PostgreSQL server on loopback, its files in a folder of
// its own. It keeps its port over Restart.
type Server struct {
	bin  string
	dir  string
	port int
	cred *syscall.Credential
	mu   sync.Mutex
	next int
}

// Start starts a server that belongs to t alone and ends with it.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	if errors.Is(err, errNoServer) {
		missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.remove(); err != nil {
			t.Errorf("end PostgreSQL server: %v", err)
		}
	})
	return s
}

func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%v; install Debian's package postgresql", err)
	}
	t.Skipf("%v", err)
}

var errNoServer = errors.New("no PostgreSQL server programs (initdb, pg_ctl) on this machine")

func start() (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	if s.cred, err = unprivileged(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "testpg"); err != nil {
		return nil, fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

func (s *Server) prepare() error {
	if s.cred != nil {
		if err := os.Chown(s.dir, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return fmt.Errorf("give the folder to PostgreSQL's user: %w", err)
		}
	}
	if err := s.run("initdb", "-D", s.data(), "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"); err != nil {
		return err
	}
	var err error
	if s.port, err = freePort(); err != nil {
		return err
	}
	return s.Up()
}

// programs returns the folder of the server's programs.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errNoServer
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged returns the user as which PostgreSQL runs: it refuses root.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("read the ids of user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("%w as which root could run it: neither user postgres nor nobody", errNoServer)
}

func freePort() (int, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) run(program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	if s.cred != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred}
	}
	// The server inherits its parent's output; a file, unlike a pipe, does not
	// make Run wait for the server to end.
	out, err := os.CreateTemp("", "testpg-out")
	if err != nil {
		return fmt.Errorf("keep the output of %s: %w", program, err)
	}
	defer func() { _ = errors.Join(out.Close(), os.Remove(out.Name())) }()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(out.Name())
		return fmt.Errorf("run %s: %w\n%s", program, err, bytes.TrimSpace(text))
	}
	return nil
}

// Up starts the server after Down.
func (s *Server) Up() error {
	options := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories='%s' "+
		"-c max_connections=100 -c shared_buffers=32MB -c max_wal_size=256MB", s.port, s.dir)
	return s.run("pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.dir, "log"), "-o", options, "start")
}

// Down stops the server in PostgreSQL's mode: "immediate" is a crash, "fast"
// breaks connections off, "smart" waits for them.
func (s *Server) Down(mode string) error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-m", mode, "stop")
}

// Restart stops the server in the mode and starts it again.
func (s *Server) Restart(mode string) error {
	if err := s.Down(mode); err != nil {
		return err
	}
	return s.Up()
}

// Addr returns host:port, for a proxy before the server.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// DSN returns the URL of a database of the server for its superuser.
func (s *Server) DSN(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: s.Addr(), Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}

// Database makes a new, empty database and returns its DSN for the superuser.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return s.create(t, "")
}

// Copy makes a new database as a copy of the one that dsn names, to which nobody
// may be connected, and returns its DSN. It is quicker than to fill a new one.
func (s *Server) Copy(t testing.TB, dsn string) string {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatalf("read the DSN of the database to copy: %v", err)
	}
	return s.create(t, " template "+pgx.Identifier{config.Database}.Sanitize())
}

func (s *Server) create(t testing.TB, how string) string {
	t.Helper()
	s.mu.Lock()
	s.next++
	name := fmt.Sprintf("t%d", s.next)
	s.mu.Unlock()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	_, err = conn.Exec(ctx, "create database "+name+how)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	return s.DSN(name)
}

func (s *Server) remove() error {
	err := s.Down("immediate")
	return errors.Join(err, os.RemoveAll(s.dir))
}
