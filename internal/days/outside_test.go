package days

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"dw/diagnosis"
	"dw/workflows"
)

// weather is how an outside system answers a call.
type weather int

const (
	fair       weather = iota
	answerLost         // the effect is there, the answer is not
	callLost           // neither is, which the caller cannot tell
	refused            // nothing was done, and it says so
	away               // it answers nothing at all, also when it is asked
)

var errNoAnswer = errors.New("no answer")

// outside is a scheduler and a pager that count what really happened there.
type outside struct {
	mu    sync.Mutex
	sky   weather
	runs  map[string][]*workflows.Run // by tag: a second call makes a second run
	made  map[string]workflows.Reference
	count map[string]int // effects on the pager by kind and mark
}

func newOutside() *outside {
	return &outside{runs: map[string][]*workflows.Run{}, made: map[string]workflows.Reference{}, count: map[string]int{}}
}

func (o *outside) set(change func(*outside)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(o)
}

// answer says how a call ends under the weather; happens is whether it had its
// effect.
func (o *outside) answer(call string) (happens bool, err error) {
	switch o.sky {
	case answerLost:
		return true, &workflows.UnclearError{Call: call, Err: errNoAnswer}
	case callLost, away:
		return false, &workflows.UnclearError{Call: call, Err: errNoAnswer}
	case refused:
		return false, errors.New("refused")
	}
	return true, nil
}

// Launch meets workflows.Actuator.
func (o *outside) Launch(_ context.Context, _ diagnosis.Action, tag string) (workflows.Run, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	happens, err := o.answer("launch")
	run := &workflows.Run{ID: fmt.Sprintf("run-%s-%d", tag, len(o.runs[tag])), URL: "http://sched/" + tag, State: "QUEUED"}
	if happens {
		o.runs[tag] = append(o.runs[tag], run)
	}
	if err != nil {
		return workflows.Run{}, err
	}
	return *run, nil
}

// FindByTag meets workflows.Actuator.
func (o *outside) FindByTag(_ context.Context, _ diagnosis.Action, tag string) (workflows.Run, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sky == away {
		return workflows.Run{}, false, errNoAnswer
	}
	if len(o.runs[tag]) == 0 {
		return workflows.Run{}, false, nil
	}
	return *o.runs[tag][0], true, nil
}

// State meets workflows.Actuator.
func (o *outside) State(_ context.Context, _ diagnosis.Action, id string) (workflows.Run, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sky == away {
		return workflows.Run{}, errNoAnswer
	}
	for _, runs := range o.runs {
		for _, run := range runs {
			if run.ID == id {
				return *run, nil
			}
		}
	}
	return workflows.Run{}, errors.New("no such run")
}

// finish ends every run.
func (o *outside) finish(ok bool) {
	o.set(func(o *outside) {
		for _, runs := range o.runs {
			for _, run := range runs {
				if !run.Done {
					run.Done, run.OK, run.State = true, ok, map[bool]string{true: "SUCCESS", false: "FAILURE"}[ok]
				}
			}
		}
	})
}

// Name meets workflows.Courier.
func (o *outside) Name() string { return "Pager" }

// keyed are the calls that the pager knows by a key, so that a second one has no
// second effect.
func keyed(kind string) bool {
	switch kind {
	case workflows.EffectPageTrigger, workflows.EffectPageAcknowledge, workflows.EffectPageResolve:
		return true
	}
	return false
}

// Carry meets workflows.Courier.
func (o *outside) Carry(_ context.Context, order workflows.Order) (workflows.Reference, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	happens, err := o.answer(order.Kind)
	key := order.Kind + " " + order.Incident + " " + order.Mark
	if ref, known := o.made[key]; happens && known && keyed(order.Kind) {
		return ref, err
	}
	ref := workflows.Reference{ID: fmt.Sprintf("P%d", len(o.made)), State: strings.TrimPrefix(order.Kind, "page.") + "d"}
	if happens {
		o.made[key] = ref
		o.count[key]++
	}
	if err != nil {
		return workflows.Reference{}, err
	}
	return ref, nil
}

// Find meets workflows.Courier.
func (o *outside) Find(_ context.Context, order workflows.Order) (workflows.Reference, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sky == away {
		return workflows.Reference{}, false, errNoAnswer
	}
	ref, found := o.made[order.Kind+" "+order.Incident+" "+order.Mark]
	return ref, found, nil
}
