package main

// scenario is one fault that dw must survive with nothing lost. Tests that play it
// are named TestFault and its two digits.
type scenario struct {
	number int
	what   string
}

// scenarios are the faults, in the order of docs/soak.md.
func scenarios() []scenario {
	return []scenario{
		{1, "killed before the decision's commit"},
		{2, "killed after the commit, before Slack is told"},
		{3, "killed after an outside call, before it is noted"},
		{4, "killed with 1,000 timers due"},
		{5, "power lost"},
		{6, "the last frame of the WAL is torn"},
		{7, "the disk is full"},
		{8, "another process holds the database"},
		{9, "the database cannot be written any more"},
		{10, "two processes get one click"},
		{11, "a process is frozen and goes on"},
		{12, "PostgreSQL restarts in a transaction"},
		{13, "the line is cut at a commit"},
		{14, "a standby that lags behind takes over"},
		{15, "the clock jumps"},
		{16, "clocks change, a leap day"},
		{17, "Slack is down for two hours"},
		{18, "Slack throttles"},
		{19, "an acknowledgement is lost"},
		{20, "events come twice, in disorder, an hour late"},
		{21, "a click at the instant of expiry"},
		{22, "a request is edited while its approver clicks"},
		{23, "the stop is pulled during a run"},
		{22, "a request is edited while its approver clicks"},
		{23, "the stop is pulled during execution"},
		{24, "an upgrade is killed half-way; an older binary"},
		{25, "receipts are edited, swapped, deleted, cut, rewritten, or an old backup put back"},
	}
}
