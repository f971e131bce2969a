package workflows

import (
	"fmt"

	"dw/diagnosis"
)

// Deed is what dw is about to do, or to ask for.
type Deed string

// The deeds that a level decides about.
const (
	DeedAnswer   Deed = "answer a command"
	DeedDiagnose Deed = "open incidents and diagnose"
	DeedPropose  Deed = "propose"
	DeedPerform  Deed = "carry out what was approved"
	DeedPlaybook Deed = "act by itself"
)

// Act is a deed with what the ruling depends on. All but Deed are read for
// DeedPlaybook only.
type Act struct {
	Deed         Deed
	Kind         diagnosis.StepKind // of the playbook's step
	Reversible   bool               // the step says so
	UndoRecorded bool               // its undo is in the log, with the state it goes back to
	Listed       bool               // the domain's configuration lists the playbook
	Opened       bool               // the domain is one of the configuration
	MovesMoney   bool               // its job moves money, or that is not known; read for a rerun
}

// Permission is what a ruling lets dw do.
type Permission string

// The permissions, from most to least.
const (
	Allow   Permission = "allow"
	Ask     Permission = "ask"      // a named person decides first
	OnlyLog Permission = "only_log" // record what would have been asked
	Refuse  Permission = "refuse"
)

// Ruling is the answer of Autonomy. Why is a sentence for people and receipts;
// Code names the refusal, RefusedStopped where only the stop is in the way.
type Ruling struct {
	Permission Permission
	Code       RefusalCode
	Why        string
}

// Autonomy is the one place that decides what dw may do in a domain (the table
// of approvals.md): a pure function of the level in force, of whether one person
// is the whole team, of the stop and of the act. An unknown level may answer
// commands only.
func Autonomy(level Level, solo, stopped bool, a Act) Ruling {
	if solo && level <= L3Act {
		level = min(level, L2Propose)
	}
	switch a.Deed {
	case DeedAnswer:
		return Ruling{Permission: Allow, Why: "commands are answered at every level"}
	case DeedDiagnose:
		return atLeast(L1Observe, level, a.Deed)
	case DeedPropose:
		return proposing(level)
	case DeedPerform:
		if r := atLeast(L2Propose, level, a.Deed); r.Permission != Allow || !stopped {
			return r
		}
		return Ruling{Permission: Refuse, Code: RefusedStopped, Why: "dw is stopped"}
	case DeedPlaybook:
		if level != L3Act {
			return proposing(level)
		}
		return byItself(stopped, a)
	}
	return Ruling{Permission: Refuse, Code: RefusedLevel, Why: fmt.Sprintf("no level allows dw to %s", a.Deed)}
}

// atLeast allows a deed from a level on. A level that dw does not know allows
// nothing.
func atLeast(least, level Level, d Deed) Ruling {
	if level < least || level > L3Act {
		return Ruling{Permission: Refuse, Code: RefusedLevel, Why: fmt.Sprintf("at %s dw does not %s", level, d)}
	}
	return Ruling{Permission: Allow, Why: fmt.Sprintf("at %s dw may %s", level, d)}
}

func proposing(level Level) Ruling {
	switch level {
	case L1Observe:
		return Ruling{Permission: OnlyLog, Code: RefusedLevel, Why: fmt.Sprintf("at %s dw only observes", level)}
	case L2Propose, L3Act:
		return Ruling{Permission: Ask, Code: RefusedUnapproved, Why: fmt.Sprintf("at %s a person decides", level)}
	}
	return Ruling{Permission: Refuse, Code: RefusedLevel, Why: fmt.Sprintf("at %s dw does not propose", level)}
}

// byItself rules on a playbook's step at L3. Whatever is missing is asked of a
// person, and nothing is done meanwhile.
func byItself(stopped bool, a Act) Ruling {
	ask := func(code RefusalCode, why string) Ruling { return Ruling{Permission: Ask, Code: code, Why: why} }
	switch {
	case !a.Opened:
		return ask(RefusedLevel, "the domain is not opened for it")
	case !a.Listed:
		return ask(RefusedLevel, "the playbook is not listed for the domain")
	case a.Kind == diagnosis.Verify:
		return Ruling{Permission: Allow, Why: "it only reads"}
	case a.Kind != diagnosis.Hold && a.Kind != diagnosis.Rerun:
		return ask(RefusedLevel, fmt.Sprintf("a step that is a %s is never dw's own", a.Kind))
	case a.Kind == diagnosis.Rerun && a.MovesMoney:
		return ask(RefusedLevel, "the job moves money, or whether it does is not known")
	case !a.Reversible:
		return ask(RefusedLevel, "the step is not reversible")
	case !a.UndoRecorded:
		return ask(RefusedLevel, "the undo of the step is not recorded")
	case stopped:
		return ask(RefusedStopped, "dw is stopped")
	}
	return Ruling{Permission: Allow, Why: "a listed playbook whose undo is recorded, at L3"}
}

// String writes the level as people do, "L2".
func (l Level) String() string { return fmt.Sprintf("L%d", int(l)) }

// may rules on a deed in the domain, the stop left aside.
func (p Policy) may(d Deed) Ruling { return Autonomy(p.Level, p.Solo, false, Act{Deed: d}) }

// perform rules on a step that was approved.
func (t Terms) perform() Ruling {
	return Autonomy(t.Policy.Level, t.Policy.Solo, t.Stopped, Act{Deed: DeedPerform})
}
