package dw_test

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// named is a word of SECURITY.md's table in back quotes.
var named = regexp.MustCompile("`([^`]+)`")

// TestThreatsNameTheirTests: each row of SECURITY.md's table names its tests after
// their packages, and each test is there.
func TestThreatsNameTheirTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := declaredTests(t)
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "| threat") {
			continue
		}
		rows++
		pkg := ""
		for _, word := range named.FindAllStringSubmatch(cells[2], -1) {
			name := word[1]
			if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Fuzz") {
				pkg = strings.TrimPrefix(name, "dw")
				continue
			}
			if !hasTest(declared[pkg], name) {
				t.Errorf("%s: package %q has no test %s", cells[0], pkg, name)
			}
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows were read", rows)
	}
}

// hasTest reports whether a test is there; one that ends in … stands for all that
// begin so.
func hasTest(declared []string, name string) bool {
	if prefix, open := strings.CutSuffix(name, "…"); open {
		return slices.ContainsFunc(declared, func(d string) bool { return strings.HasPrefix(d, prefix) })
	}
	return slices.Contains(declared, name)
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.`)

// declaredTests are the tests of each folder; the root's is "".
func declaredTests(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	list, err := exec.Command("git", "ls-files", "-c", "-o", "--exclude-standard", "*_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	for file := range strings.FieldsSeq(string(list)) {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // deleted, not yet committed
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		if dir == "." {
			dir = ""
		}
		for _, m := range testFunc.FindAllSubmatch(content, -1) {
			out[dir] = append(out[dir], string(m[1]))
		}
	}
	return out
}

// direct are the modules that the program itself imports. A new one is a decision,
// made here in the open.
var direct = []string{
	"github.com/PagerDuty/go-pagerduty", "github.com/andygrunwald/go-jira", "github.com/gorilla/websocket",
	"github.com/hashicorp/go-retryablehttp", "github.com/jackc/pgx/v5", "github.com/pmezard/go-difflib",
	"github.com/goccy/go-graphviz", "github.com/hmarr/codeowners", "github.com/pressly/goose/v3", "github.com/prometheus/client_golang", "github.com/riverqueue/river",
	"github.com/robfig/cron/v3", "github.com/slack-go/slack", "github.com/sony/gobreaker/v2", "github.com/spf13/cobra",
	"github.com/tetratelabs/wazero",
	"github.com/vektah/gqlparser/v2", "go.yaml.in/yaml/v3", "golang.org/x/mod", "golang.org/x/text",
	"gonum.org/v1/gonum", "modernc.org/sqlite",
}

// TestSupplyChain: the program imports no module that is not named here, none is
// named that is not imported, and it is built without the builder's paths.
func TestSupplyChain(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "dw/") || !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") {
				continue
			}
			module := slices.IndexFunc(direct, func(m string) bool { return within(imported, m) })
			if module < 0 {
				t.Errorf("%s imports %s, whose module is not among the direct ones", p.ImportPath, imported)
				continue
			}
			found[direct[module]] = true
		}
	}
	for _, m := range direct {
		if !found[m] {
			t.Errorf("nothing imports %s any more", m)
		}
	}
	for _, file := range []string{"Makefile", "Dockerfile"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), "build -trimpath") {
			t.Errorf("%s builds with the builder's paths", file)
		}
	}
}

// TestBuildIsReproducible: the same source in two folders is the same program,
// byte by byte. It links the program twice, which is for the gate.
func TestBuildIsReproducible(t *testing.T) {
	t.Parallel()
	if os.Getenv("CI") == "" {
		t.Skip("set CI=true: it links the program twice")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "another", "folder")
	if err := os.MkdirAll(elsewhere, 0o750); err != nil {
		t.Fatal(err)
	}
	copied := exec.Command("sh", "-c", `git ls-files -c -o --exclude-standard | grep -v '^testdata/clients' | while read -r f; do [ -f "$f" ] && printf '%s\n' "$f"; done | tar -cf - -T - | tar -xf - -C "$0"`, elsewhere)
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("copy the source: %v\n%s", err, out)
	}
	if a, b := built(t, here), built(t, elsewhere); a != b {
		t.Errorf("two builds differ: %x and %x", a, b)
	}
}

// built is the digest of the program as `make build` links it, without the
// version, which names the commit.
func built(t *testing.T, dir string) [32]byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "dw")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", to, "./cmd/dw")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	content, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(content)
}
