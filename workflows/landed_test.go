package workflows

import (
	"strings"
	"testing"

	"dw/checks"
)

// TestLateRowsAreTold: a check that passes again, and later finds the rows that
// were lost, says so in the thread.
func TestLateRowsAreTold(t *testing.T) {
	t.Parallel()
	e := newEstate()
	i, _ := openIncident("INC-1", Policy{}, e.result("orders", checks.Fail), e.now)
	pass := e.result("orders", checks.Pass)
	i, first := addPass(i, pass, e.now)
	if len(first.Notes) != 1 || !i.recovered() {
		t.Fatalf("%+v", first.Notes)
	}
	if _, out := addPass(i, pass, e.now); len(out.Notes) != 0 {
		t.Errorf("an ordinary pass is told again: %+v", out.Notes)
	}
	pass.Landed = "late rows landed: 11:00 now 9,420 of 9,500 expected"
	if _, out := addPass(i, pass, e.now); len(out.Notes) != 1 || !strings.Contains(out.Notes[0].Text, "orders: late rows landed: 11:00 now 9,420") {
		t.Errorf("notes %+v", out.Notes)
	}
}
