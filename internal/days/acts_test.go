package days

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"dw/store"
	"dw/workflows"
)

// meanPause is between two acts.
const meanPause = 40 * time.Second

// act is something that happens, so often in a hundred.
type act struct {
	weight int
	do     func(t *testing.T)
}

func (w *world) acts() []act {
	return []act{
		{60, w.click},
		{8, w.clickTwice},
		{6, w.markDone},
		{6, w.breakOrMend},
		{3, w.runsEnd},
		{2, w.acknowledge},
		{1, w.replan},
		{3, w.changeWeather},
		{1, w.pullStop},
		{3, w.askResume},
		{2, w.dieSoon},
		{1, w.slackGoesDown},
		{1, w.jumpClock},
	}
}

func pickAct(w *world, acts []act) func(t *testing.T) {
	total := 0
	for _, a := range acts {
		total += a.weight
	}
	at := w.random.IntN(total)
	for _, a := range acts {
		if at -= a.weight; at < 0 {
			return a.do
		}
	}
	return acts[0].do
}

// paint puts a proposal's card into Slack as it stands.
func (w *world) paint(ctx context.Context, e workflows.Effect) error {
	var r workflows.ProposalRef
	if err := json.Unmarshal(e.Payload, &r); err != nil {
		return err
	}
	at := workflows.MessageRef{Channel: "C", TS: "1." + r.Proposal}
	if err := w.dw.service.PlaceCard(ctx, r.Proposal, at); err != nil {
		return err
	}
	p, err := w.dw.service.Proposal(ctx, r.Proposal)
	if err != nil {
		return err
	}
	if _, known := w.cards[p.ID]; !known {
		w.order = append(w.order, p.ID)
	}
	w.cards[p.ID] = p
	return nil
}

// card is one that somebody looks at, most often a new one that still asks.
func (w *world) card() (workflows.Proposal, bool) {
	if len(w.order) == 0 {
		return workflows.Proposal{}, false
	}
	for range 6 {
		last := w.order[max(0, len(w.order)-12):]
		if p := w.cards[pick(w, last)]; p.State == workflows.Waiting {
			return p, true
		}
	}
	return w.cards[pick(w, w.order)], true
}

// click is one person's click on one card as it stands in Slack: by who was asked
// or by anybody, approving or not, with every fact right or one wrong.
func (w *world) click(t *testing.T) {
	p, found := w.card()
	if !found {
		return
	}
	who := pick(w, anybody())
	if asked := p.Asked(); len(asked) > 0 && w.chance(70) {
		who = pick(w, asked).Person
	}
	verdict := pick(w, []workflows.Verdict{
		workflows.Approve, workflows.Approve, workflows.Approve, workflows.Approve, workflows.Approve, workflows.Approve,
		workflows.Reject, workflows.Revoke, workflows.Withdraw,
	})
	r := workflows.DecideRequest{
		By: who, Verdict: verdict, Proposal: p.ID, HashPrefix: p.HashPrefix(), Nonce: p.Nonce, Message: p.Message, Reason: "so",
		ActionTS: fmt.Sprint(w.ids.Add(1)), EnvelopeID: fmt.Sprint("env", w.ids.Add(1)), At: w.now(),
	}
	wrong := ""
	if w.chance(25) {
		wrong = w.forge(&r)
	}
	w.send(t, r, wrong)
}

// forge makes one fact of a click wrong and says which.
func (w *world) forge(r *workflows.DecideRequest) string {
	switch w.random.IntN(5) {
	case 0:
		r.HashPrefix = fmt.Sprintf("%032x", w.ids.Add(1))
		return "hash"
	case 1:
		r.Nonce = fmt.Sprintf("%032x", w.ids.Add(1))
		return "nonce"
	case 2:
		r.Message.TS += "0"
		return "message"
	case 3:
		r.NotAllowed = "you are a guest"
		return "guest"
	}
	r.By.Team = "T-ELSEWHERE"
	return "workspace"
}

// send has dw take a click. The person sees the answer, unless the process died or
// the acknowledgement was lost; then they click once more.
func (w *world) send(t *testing.T, r workflows.DecideRequest, wrong string) {
	t.Helper()
	for range 2 {
		var a workflows.Answer
		err := w.dw.alive(func() (err error) {
			a, err = w.dw.service.Decide(context.Background(), r)
			return err
		})
		w.must(t, err)
		lost := err != nil || w.chance(3)
		w.history.clicked(click{request: r, wrong: wrong, answer: a, acknowledged: err == nil && !lost})
		if !lost {
			return
		}
		if w.dw.dead.Load() {
			w.end(t)
			w.begin(t)
		}
		r.EnvelopeID, r.At = fmt.Sprint("env", w.ids.Add(1)), w.now()
	}
}

// clickTwice delivers an old click once more, at once or late.
func (w *world) clickTwice(t *testing.T) {
	if len(w.history.clicks) == 0 {
		return
	}
	last := w.history.clicks[max(0, len(w.history.clicks)-200):]
	old := pick(w, last)
	if w.chance(50) {
		old.request.At = w.now()
	}
	w.send(t, old.request, old.wrong)
}

// markDone marks the open step of a card, by who was asked or by anybody.
func (w *world) markDone(t *testing.T) {
	for range 10 {
		p, found := w.card()
		if !found {
			return
		}
		n, open := p.Current()
		if p.State != workflows.Executing || !open {
			if len(w.order) > 0 {
				p = w.cards[pick(w, w.order)]
				n, open = p.Current()
			}
			if p.State != workflows.Executing || !open {
				continue
			}
		}
		who := pick(w, anybody())
		if w.chance(80) {
			who = pick(w, p.Asked()).Person
		}
		w.must(t, w.dw.alive(func() error {
			_, err := w.dw.service.MarkDone(context.Background(), workflows.DoneRequest{
				By: who, Proposal: p.ID, HashPrefix: p.HashPrefix(), Step: n, Message: p.Message, At: w.now(),
			})
			return err
		}))
		return
	}
}

// breakOrMend has a domain's numbers go wrong, or right again.
func (w *world) breakOrMend(t *testing.T) {
	check := pick(w, []string{"sales.orders", "stock.levels", "people.hours"})
	stays := w.chance(60) // what is wrong is found wrong again more often than it is right
	w.warehouse.set(func(h *warehouse) { h.failing[check] = !h.failing[check] || stays })
	r, err := w.warehouse.result(check)
	if err == nil {
		w.must(t, w.dw.alive(func() error { return w.dw.service.OnResult(context.Background(), r) }))
	}
}

func (w *world) runsEnd(*testing.T) { w.outside.finish(w.chance(80)) }

func (w *world) acknowledge(t *testing.T) {
	if len(w.order) == 0 {
		return
	}
	p := w.cards[pick(w, w.order)]
	w.must(t, w.dw.alive(func() error {
		_, err := w.dw.service.Acknowledge(context.Background(), p.Incident, pick(w, anybody()), w.now())
		return err
	}))
}

// replan changes what dw would ask for, so that a new request replaces a waiting one.
func (w *world) replan(t *testing.T) {
	w.warehouse.set(func(h *warehouse) { h.version = (h.version + 1) % 5 })
	w.breakOrMend(t)
}

func (w *world) changeWeather(*testing.T) {
	sky := pick(w, []weather{fair, fair, fair, answerLost, callLost, refused, away})
	w.outside.set(func(o *outside) { o.sky = sky })
	silent := w.chance(20)
	w.warehouse.set(func(h *warehouse) { h.silent = silent })
}

func (w *world) pullStop(t *testing.T) {
	w.must(t, w.dw.alive(func() error {
		_, err := w.dw.service.PullStop(context.Background(), workflows.StopRequest{By: pick(w, anybody()), Channel: "C-sales", Reason: "r", At: w.now()})
		return err
	}))
}

// askResume asks for the end of a stop; somebody may approve it.
func (w *world) askResume(t *testing.T) {
	w.must(t, w.dw.alive(func() error {
		_, err := w.dw.service.AskResume(context.Background(), workflows.StopRequest{By: pick(w, anybody()), Channel: "C-sales", At: w.now()})
		return err
	}))
	w.drain(t)
	for _, id := range w.order[max(0, len(w.order)-5):] {
		p := w.cards[id]
		if p.Change == nil || p.State != workflows.Waiting {
			continue
		}
		w.send(t, workflows.DecideRequest{
			By: pick(w, p.Asked()).Person, Verdict: workflows.Approve, Proposal: p.ID, HashPrefix: p.HashPrefix(), Nonce: p.Nonce,
			Message: p.Message, ActionTS: fmt.Sprint(w.ids.Add(1)), EnvelopeID: fmt.Sprint("env", w.ids.Add(1)), At: w.now(),
		}, "")
	}
}

// dieSoon has the process die in one of its next commits.
func (w *world) dieSoon(*testing.T) {
	if w.chance(30) {
		w.history.killed++
		at := pick(w, []string{store.CrashBeforeCommit, store.CrashAfterCommit})
		w.dw.dieAt.Store(&at)
	}
}

// slackGoesDown has Slack answer 500 for up to two hours.
func (w *world) slackGoesDown(*testing.T) {
	if w.slackDown && time.Now().Before(w.slackBack) {
		return
	}
	w.slackDown, w.slackBack = true, time.Now().Add(time.Duration(w.random.IntN(120))*time.Minute)
}

// jumpClock moves the machine's clock by up to an hour either way, seldom.
func (w *world) jumpClock(*testing.T) {
	if w.chance(70) {
		return
	}
	w.history.jumps++
	w.offset.Add(int64(time.Duration(w.random.IntN(120)-60) * time.Minute))
}
