package doctor

import (
	"context"
	"fmt"
	"time"
)

// clock holds this machine's clock against Slack's, and says in which zone
// schedules are read.
func (x *examination) clock(context.Context) []Finding {
	var f found
	x.skew(&f)
	if x.c == nil {
		return f.list
	}
	if zone, err := time.LoadLocation(x.c.Timezone); err == nil {
		f.ok("timezone", fmt.Sprintf("schedules without a zone are %s's, where it is %s", zone, x.o.Now().In(zone).Format("Mon 15:04")))
	}
	if x.c.Clock.File != "" {
		f.add(Warn, "clock.file", "take clock.file out, unless this is the demo", "dw lives in story time, not in the time of this machine")
	}
	return f.list
}

func (x *examination) skew(f *found) {
	const source, do = "auth.test, header Date", "set the clock of this machine by NTP"
	switch {
	case x.self.Team == "" || x.self.Clock.IsZero():
		f.skip("Slack's time is not known")
		return
	case x.ahead.Abs() <= skewOK:
		f.ok(source, "this machine's clock agrees with Slack's")
		return
	}
	direction := "ahead of"
	if x.ahead < 0 {
		direction = "behind"
	}
	what := fmt.Sprintf("this machine's clock is %s %s Slack's", x.ahead.Abs().Round(time.Second), direction)
	if x.ahead.Abs() >= skewFail {
		f.add(Fail, source, do, what+": deadlines and receipts would tell a wrong time")
		return
	}
	f.add(Warn, source, do, what)
}
