package app_test

import (
	"os"
	"strings"
	"testing"
	"time"
)

// addFiles writes files of signals into the configuration.
func addFiles(text string) string {
	return text + "\nsignals:\n  every: 20ms\n  files:\n    - {name: soda-file, tool: soda, path: scan.json, domain: grid, assets: {kwh adds up: fct_readings}}\n"
}

// TestFileOfSignals: a file that a tool writes is taken in when it appears and when
// it changes; the same file again, and one that is half written, say nothing.
func TestFileOfSignals(t *testing.T) {
	t.Parallel()
	r := start(t, addFiles)
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(r.path("scan.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scan := func(check, outcome, at string) string {
		return `{"scanStartTimestamp":"` + at + `","checks":[{"name":"` + check + `","table":"some_view","outcome":"` + outcome + `"}]}`
	}
	put(`{"scanStartTimestamp":"2026-06-10T11:0`)
	r.logged("a file of signals was not taken in")
	put(scan("kwh adds up", "fail", "2026-06-10T11:06:00Z"))
	r.see("fct_readings", "kwh adds up fails", "said by Soda")
	put(scan("kwh adds up", "fail", "2026-06-10T11:06:00Z") + "\n") // written again, and says the same
	r.logged(`"recorded":0,"known":1`)
	put(scan("kwh adds up", "pass", "2026-05-10T11:06:00Z"))
	r.logged(`"recorded":0,"known":0,"old":1`)
	if opened := r.receipts("incident.opened"); len(opened) != 1 || opened[0].Predicate.Body["tool"] != "Soda" {
		t.Errorf("incidents %+v", opened)
	}
	put(scan("kwh adds up", "pass", "2026-06-10T11:09:00Z"))
	r.logged(`"recorded":1,"known":0,"old":0`)
}

// logged waits until dw's log says something.
func (r *rig) logged(text string) {
	r.t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for end := time.After(patience); !strings.Contains(r.log.String(), text); {
		select {
		case <-look.C:
		case <-end:
			r.t.Fatalf("the log does not say %s:\n%s", text, tail(r.log.String(), 3000))
		}
	}
}
