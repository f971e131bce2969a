package dw_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mayImport is the table of ARCHITECTURE.md: the packages of dw that each
// package's production files may import directly. A sub-package obeys the row
// of its parent; "*" allows all but cmd and demo.
var mayImport = map[string][]string{
	"dw":             {},
	"app":            {"*"},
	"config":         {},
	"lineage":        {},
	"checks":         {"lineage"},
	"diagnosis":      {"lineage", "checks"},
	"receipts":       {},
	"workflows":      {"lineage", "checks", "diagnosis", "receipts"},
	"store":          {"workflows", "lineage", "checks", "diagnosis", "receipts"},
	"jobs":           {"workflows", "checks"},
	"blocks":         {"workflows", "lineage", "checks", "diagnosis", "receipts"},
	"bot":            {},
	"handlers":       {"bot", "workflows", "lineage", "checks", "diagnosis", "receipts", "blocks"},
	"intake":         {"workflows", "lineage", "checks", "diagnosis"},
	"connectors":     {"connectors/internal", "workflows", "lineage", "checks", "diagnosis", "jobs"},
	"slackdev":       {},
	"demo":           {"app", "slackdev", "internal/fakes", "config"},
	"internal/fakes": {},
	"internal":       {},
}

// vendorOnly says which packages may import a third-party module.
var vendorOnly = map[string][]string{
	"github.com/slack-go/slack":     {"bot", "blocks", "handlers", "slackdev"},
	"database/sql":                  {"store", "jobs", "connectors/sqlite", "connectors/postgres", "demo", "app"},
	"github.com/riverqueue/river":   {"store", "jobs"},
	"github.com/robfig/cron":        {"checks"},
	"gonum.org/":                    {"checks"},
	"modernc.org/sqlite":            {"store", "connectors/sqlite", "demo"},
	"github.com/gorilla/websocket":  {"bot", "slackdev"},
	"golang.org/x/mod/sumdb":        {"receipts", "store"},
	"github.com/gowebpki/jcs":       {},
	"github.com/vektah/gqlparser":   {"internal/fakes"},
	"github.com/jackc/pgx":          {"store", "connectors/postgres", "internal/testpg"},
	"github.com/spf13/cobra":        {"cmd"},
	"github.com/prometheus/":        {"app"},
	"go.yaml.in/yaml":               {"config", "diagnosis", "demo", "lineage", "app/importer"},
	"github.com/hashicorp/":         {"connectors/internal"},
	"pgregory.net/rapid":            {},
	"go.uber.org/goleak":            {},
	"github.com/pmezard/go-difflib": {"diagnosis"},
	"github.com/PagerDuty/":         {"connectors/pagerduty"},
	"github.com/andygrunwald/":      {"connectors/jira"},
	"github.com/getkin/":            {},
}

type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsFollowTheTable(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "dw"), "/")
		if strings.HasPrefix(name, "cmd") {
			continue
		}
		row := rowOf(name)
		allowed, known := mayImport[row]
		if !known {
			t.Errorf("package %s has no row in the table", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if target, own := strings.CutPrefix(imported, "dw/"); own {
				if !allows(allowed, row, target) {
					t.Errorf("%s imports %s, which its row does not allow", p.ImportPath, imported)
				}
				continue
			}
			checkVendor(t, p.ImportPath, name, imported)
		}
	}
}

func checkVendor(t *testing.T, path, name, imported string) {
	t.Helper()
	for prefix, users := range vendorOnly {
		matches := imported == prefix || strings.HasPrefix(imported, strings.TrimSuffix(prefix, "/")+"/")
		if matches && !slices.ContainsFunc(users, func(u string) bool { return within(name, u) }) {
			t.Errorf("%s imports %s; only %v may", path, imported, users)
		}
	}
}

func rowOf(name string) string {
	switch {
	case name == "":
		return "dw"
	case strings.HasPrefix(name, "internal/fakes"):
		return "internal/fakes"
	default:
		return strings.SplitN(name, "/", 2)[0]
	}
}

func allows(allowed []string, row, target string) bool {
	if within(target, row) && row != "connectors" {
		return true
	}
	for _, a := range allowed {
		if a == "*" && !within(target, "cmd") && !within(target, "demo") && !within(target, "internal/fakes") {
			return true
		}
		if within(target, a) {
			return true
		}
	}
	return false
}

func within(name, parent string) bool { return name == parent || strings.HasPrefix(name, parent+"/") }

// TestSizes holds architecture.md's sizes: no file over 500 lines.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, file := range p.GoFiles {
			content, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(content, []byte("\n")); lines > 500 {
				t.Errorf("%s/%s has %d lines; a file is one thing of at most 500", p.ImportPath, file, lines)
			}
		}
	}
}

// storyWords are words of the demo's story. Only package demo knows them.
var storyWords = regexp.MustCompile(`(?i)box[ _-]?office|ticket_orders|checkout_events|promoter|payouts?\b|organi[sz]ers?\b|trading review`)

// TestOnlyDemoKnowsTheStory: dw itself must not know what it is shown.
func TestOnlyDemoKnowsTheStory(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if within(strings.TrimPrefix(p.ImportPath, "dw/"), "demo") {
			continue
		}
		for _, file := range p.GoFiles {
			content, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if found := storyWords.Find(content); found != nil {
				t.Errorf("%s/%s says %q, a word of the demo's story", p.ImportPath, file, found)
			}
		}
	}
}
