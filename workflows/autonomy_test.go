package workflows

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
)

// TestAutonomyTable is the table of approvals.md: every level, known or not,
// with every deed, stopped and not.
func TestAutonomyTable(t *testing.T) {
	t.Parallel()
	own := Act{Deed: DeedPlaybook, Kind: diagnosis.Hold, Reversible: true, UndoRecorded: true, Listed: true, Opened: true}
	tests := []struct {
		act     Act
		want    [6]Permission // at L-1, L0, L1, L2, L3, L4
		stopped [6]Permission
	}{
		{Act{Deed: DeedAnswer}, [6]Permission{Allow, Allow, Allow, Allow, Allow, Allow}, [6]Permission{Allow, Allow, Allow, Allow, Allow, Allow}},
		{Act{Deed: DeedDiagnose}, [6]Permission{Refuse, Refuse, Allow, Allow, Allow, Refuse}, [6]Permission{Refuse, Refuse, Allow, Allow, Allow, Refuse}},
		{Act{Deed: DeedPropose}, [6]Permission{Refuse, Refuse, OnlyLog, Ask, Ask, Refuse}, [6]Permission{Refuse, Refuse, OnlyLog, Ask, Ask, Refuse}},
		{Act{Deed: DeedPerform}, [6]Permission{Refuse, Refuse, Refuse, Allow, Allow, Refuse}, [6]Permission{Refuse, Refuse, Refuse, Refuse, Refuse, Refuse}},
		{own, [6]Permission{Refuse, Refuse, OnlyLog, Ask, Allow, Refuse}, [6]Permission{Refuse, Refuse, OnlyLog, Ask, Ask, Refuse}},
		{Act{Deed: "format the disk"}, [6]Permission{Refuse, Refuse, Refuse, Refuse, Refuse, Refuse}, [6]Permission{Refuse, Refuse, Refuse, Refuse, Refuse, Refuse}},
	}
	for _, tt := range tests {
		for n := range tt.want {
			level := Level(n - 1)
			t.Run(fmt.Sprintf("%s at %s", tt.act.Deed, level), func(t *testing.T) {
				t.Parallel()
				if got := Autonomy(level, false, false, tt.act); got.Permission != tt.want[n] || got.Why == "" {
					t.Errorf("%+v, want %s", got, tt.want[n])
				}
				got := Autonomy(level, false, true, tt.act)
				if got.Permission != tt.stopped[n] || got.Why == "" {
					t.Errorf("stopped: %+v, want %s", got, tt.stopped[n])
				}
				// The stop alone holds what would else be allowed, and is named so.
				if held := tt.want[n] == Allow && tt.stopped[n] != Allow; held != (got.Code == RefusedStopped) {
					t.Errorf("stopped: code %s", got.Code)
				}
			})
		}
	}
}

// TestAutonomySolo is rule 12b: a team of one cannot exceed L2.
func TestAutonomySolo(t *testing.T) {
	t.Parallel()
	own := Act{Deed: DeedPlaybook, Kind: diagnosis.Rerun, Reversible: true, UndoRecorded: true, Listed: true, Opened: true}
	for level := L0Manual; level <= L3Act; level++ {
		for _, deed := range []Deed{DeedAnswer, DeedDiagnose, DeedPropose, DeedPerform, DeedPlaybook} {
			own.Deed = deed
			want := Autonomy(min(level, L2Propose), false, false, own)
			if got := Autonomy(level, true, false, own); got != want {
				t.Errorf("%s alone at %s: %+v, want %+v", deed, level, got, want)
			}
		}
	}
}

// TestAutonomyOfPlaybooks goes through every cell of L3: dw acts by itself only
// on a hold or a rerun that is reversible, whose undo is recorded, of a listed
// playbook in a domain that is opened; never on a rerun of a job that moves money.
func TestAutonomyOfPlaybooks(t *testing.T) {
	t.Parallel()
	kinds := []diagnosis.StepKind{diagnosis.Hold, diagnosis.Rerun, diagnosis.Change, diagnosis.Recover, diagnosis.Verify, "purge"}
	allowed := map[string]bool{}
	for _, kind := range kinds {
		for bits := range 64 {
			on := func(n int) bool { return bits>>n&1 == 1 }
			a := Act{Deed: DeedPlaybook, Kind: kind, Reversible: on(0), UndoRecorded: on(1), Listed: on(2), Opened: on(3), MovesMoney: on(5)}
			r := Autonomy(L3Act, false, on(4), a)
			switch r.Permission {
			case Allow:
				allowed[fmt.Sprintf("%s %06b", kind, bits)] = true
			case Ask:
			default:
				t.Errorf("%+v at L3: %+v", a, r)
			}
		}
	}
	want := []string{"hold 001111", "hold 101111", "rerun 001111"} // a hold of a job that pays keeps money from moving
	for bits := range 16 {                                         // it only reads: neither undo nor stop nor money matter
		want = append(want, fmt.Sprintf("verify %06b", bits&3|bits>>2<<4|3<<2))
	}
	for _, cell := range want {
		if !allowed[cell] {
			t.Errorf("%s is not allowed at L3", cell)
		}
		delete(allowed, cell)
	}
	if len(allowed) > 0 {
		t.Errorf("allowed at L3 as well: %v", allowed)
	}
}

// TestOnePlaceComparesLevels: no other production file of the packages that act
// on a level looks at one by itself.
func TestOnePlaceComparesLevels(t *testing.T) {
	t.Parallel()
	compares := regexp.MustCompile(`\.Level\s*(<|>|==|!=)|(<|>|==|!=)\s*(workflows\.)?L[0-3](Manual|Observe|Propose|Act)\b|case (workflows\.)?L[0-3](Manual|Observe|Propose|Act)\b`)
	// What a change of a level is, and what it needs, is about levels themselves.
	about := map[string]bool{"autonomy.go": true, "governed.go": true, "promote.go": true}
	for _, dir := range []string{".", "../blocks", "../handlers", "../jobs", "../intake"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || about[filepath.Base(file)] {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if found := compares.FindString(string(content)); found != "" {
				t.Errorf("%s compares a level itself (%q); ask Autonomy", file, found)
			}
		}
	}
}

// TestLevelLoweredInMidRun: what was approved goes no further when the level is
// lowered between two steps.
func TestLevelLoweredInMidRun(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.approve(t, "change", "recover")
	e.done(t, "change", 0)
	e.policy.Level = L1Observe
	e.done(t, "recover", 0)
	wantState(t, e.key(t, "recover"), Halted)
	if e.sched.launches[StepTag(e.key(t, "recover").ID, 1)] != 0 {
		t.Error("the job was launched at L1")
	}
	if !e.noted(t, "at L1 dw does not carry out what was approved") {
		t.Errorf("notes %+v", e.incident(t).Notes)
	}
}

// TestLevelLoweredBeforeALaunch: also where the launch is queued already.
func TestLevelLoweredBeforeALaunch(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	e.policy.Level = L0Manual
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	if e.sched.launches[tag] != 0 {
		t.Error("the job was launched at L0")
	}
	wantState(t, e.key(t, "recover"), Halted)
	e.pass(t, time.Hour)
}
