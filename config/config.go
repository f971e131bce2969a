// Package config reads dw's one YAML file into values that remember where they
// stand. It is strict: an unknown key is a problem, and every problem is
// reported at once. It imports no other package of dw; the domain packages
// validate what they own and app joins their key paths to lines.
package config

// Config is the whole file.
type Config struct {
	Instance    string                  `yaml:"instance"` // names this dw in receipts, for example "acme-prod"
	Timezone    string                  `yaml:"timezone"` // IANA name, default UTC
	Slack       Slack                   `yaml:"slack"`
	Store       Store                   `yaml:"store"`
	Receipts    Receipts                `yaml:"receipts"`
	Server      Server                  `yaml:"server"`
	Log         Log                     `yaml:"log"`
	Clock       Clock                   `yaml:"clock"`
	Jobs        Jobs                    `yaml:"jobs"`
	Connections map[string]Connection   `yaml:"connections"`
	Dagster     *Dagster                `yaml:"dagster"`
	PagerDuty   *PagerDuty              `yaml:"pagerduty"`
	Jira        *Jira                   `yaml:"jira"`
	People      map[string]PersonConfig `yaml:"people"`
	Domains     map[string]Domain       `yaml:"domains"`
	Lineage     Lineage                 `yaml:"lineage"`
	Checks      []Check                 `yaml:"checks"`
	Changes     Changes                 `yaml:"changes"`
	Signals     Signals                 `yaml:"signals"`
	Metrics     Metrics                 `yaml:"metrics"`

	// AgentOperators are names of people who hold credentials of dw or of an agent;
	// they decide no policy change.
	AgentOperators []string `yaml:"agent_operators"`

	file string
	at   map[string]position

	unread []string // keys whose values could not be read
}

// Slack says how to reach the workspace. APIURL may point at any
// Slack-compatible server.
type Slack struct {
	APIURL   string `yaml:"api_url"` // default https://slack.com/api/
	BotToken Secret `yaml:"bot_token"`
	AppToken Secret `yaml:"app_token"`
	Command  string `yaml:"command"` // default /dw

	// Connections is how many Socket Mode connections are held at once, default 2:
	// Slack replaces each every few hours, and the other hears meanwhile. All
	// processes of one app together may hold 10.
	Connections int `yaml:"connections"`
}

// Store says where dw keeps its state.
type Store struct {
	DSN Secret `yaml:"dsn"` // a file, sqlite:FILE, or postgres://…, which may hold a password
}

// Receipts says how receipts are signed.
type Receipts struct {
	KeyFile         string   `yaml:"key_file"`
	CheckpointEvery Duration `yaml:"checkpoint_every"` // default 60s
	CheckpointIdle  Duration `yaml:"checkpoint_idle"`  // default 5s
	SelfCheckEvery  Duration `yaml:"self_check_every"` // default 1h
	Anchors         Anchors  `yaml:"anchors"`
}

// Server is dw's own HTTP listener for /healthz, /metrics and /intake.
type Server struct {
	Listen string `yaml:"listen"` // default 127.0.0.1:8470
}

// Log says what is logged.
type Log struct {
	Level  string `yaml:"level"`  // debug, info, warn, error; default info
	Format string `yaml:"format"` // json or text; default json
}

// Clock makes story time. It is for the demo only; leave it out elsewhere.
type Clock struct {
	File string `yaml:"file"` // a clock file that `dw demo` writes
}

// Jobs tunes the delivery of effects and the ticker of deadlines.
type Jobs struct {
	Tick        Duration `yaml:"tick"`         // how often due deadlines are read, default 1s
	Poll        Duration `yaml:"poll"`         // how often queued effects are fetched, default 500ms
	Timeout     Duration `yaml:"timeout"`      // one delivery, default 60s
	RescueAfter Duration `yaml:"rescue_after"` // a delivery lost with its process, default 2m
}

// Dagster is the Dagster instance whose jobs and schedules have ids dagster://NAME.
type Dagster struct {
	URL        string   `yaml:"url"` // with or without /graphql
	Token      Secret   `yaml:"token"`
	Location   string   `yaml:"location"`   // code location of jobs that name none
	Repository string   `yaml:"repository"` // default __repository__
	Timeout    Duration `yaml:"timeout"`    // one call, default 15s
}

// PagerDuty is the account that pages the people on call.
type PagerDuty struct {
	APIKey         Secret            `yaml:"api_key"`    // of the REST API
	APIURL         string            `yaml:"api_url"`    // default https://api.pagerduty.com
	EventsURL      string            `yaml:"events_url"` // default https://events.pagerduty.com
	RoutingKeys    map[string]Secret `yaml:"routing_keys"`
	WebhookSecrets []Secret          `yaml:"webhook_secrets"` // of POST /intake/pagerduty; several for rotation
	Timeout        Duration          `yaml:"timeout"`         // one call, default 15s
}

// Jira is where the follow-up of an incident gets its ticket.
type Jira struct {
	URL     string   `yaml:"url"`
	SiteURL string   `yaml:"site_url"` // of the pages that people open, default url
	Email   string   `yaml:"email"`    // of the API token's account; Cloud only
	Token   Secret   `yaml:"token"`
	Cloud   bool     `yaml:"cloud"`   // false: Data Center
	Timeout Duration `yaml:"timeout"` // one call, default 15s
}

// PersonConfig ties a name of this file to a Slack user: by id, or by an
// e-mail that is resolved once at load. Beside an id the e-mail is that of the
// person's account in other systems.
//
// A name can also stand for whoever is on call in PagerDuty, by the id of a
// schedule or of an escalation policy, or for the members of a user group of
// Slack; such a name can only approve.
type PersonConfig struct {
	Slack    string `yaml:"slack"`
	Email    string `yaml:"email"`
	Group    string `yaml:"slack_group"`
	Schedule string `yaml:"pagerduty_schedule"`
	Policy   string `yaml:"pagerduty_policy"`
}

// OnCall reports whether the name stands for whoever is on call.
func (p PersonConfig) OnCall() bool { return p.Schedule != "" || p.Policy != "" }

// Several reports whether the name stands for people who are read when dw asks:
// whoever is on call, or the members of a group.
func (p PersonConfig) Several() bool { return p.OnCall() || p.Group != "" }

// Domain is a named set of assets with an owner, a chain and a level.
type Domain struct {
	Level         string   `yaml:"level"`         // L0, L1, L2, L3; default L1; a higher one than is in force is proposed
	Playbooks     []string `yaml:"playbooks"`     // CAUSE/KEY: what L3 opens
	PolicyQuorum  int      `yaml:"policy_quorum"` // people besides the one who asks, for a policy change; default 1
	Owner         string   `yaml:"owner"`
	Deputy        string   `yaml:"deputy"`
	Escalation    []string `yaml:"escalation"`
	CC            []string `yaml:"cc"`
	Quorum        int      `yaml:"quorum"`    // default 1
	QuorumBy      Quorums  `yaml:"quorum_by"` // in place of quorum, by class of action
	Solo          bool     `yaml:"solo"`
	Channel       string   `yaml:"channel"`        // Slack channel id
	Settle        Duration `yaml:"settle"`         // from a named cause to the request, default 5m
	RemindAfter   Duration `yaml:"remind_after"`   // default 15m
	EscalateAfter Duration `yaml:"escalate_after"` // per link of the chain, default 45m
	ExpireAfter   Duration `yaml:"expire_after"`   // default 4h
	ExecuteWithin Duration `yaml:"execute_within"` // from approval, default 4h
	ObserveEvery  Duration `yaml:"observe_every"`  // default 1m
	PollEvery     Duration `yaml:"poll_every"`     // default 15s
	RunTimeout    Duration `yaml:"run_timeout"`    // default 1h
	VerifyAfter   Duration `yaml:"verify_after"`   // from the last step done, default 15m
	VerifyEvery   Duration `yaml:"verify_every"`   // default 10m
	VerifyWithin  Duration `yaml:"verify_within"`  // default 4h
	Together      Duration `yaml:"together"`       // failures tied by lineage, this far apart, are one incident; default 12h
	RecoverRuns   int      `yaml:"recover_runs"`   // re-checks in a row before an incident ends by itself, after every check has passed; default 1

	PagerDutyService string `yaml:"pagerduty_service"` // a name of pagerduty.routing_keys
	Page             string `yaml:"page"`              // auto, manual, off; default manual
	JiraProject      string `yaml:"jira_project"`      // key
	JiraIssueType    string `yaml:"jira_issue_type"`   // default Task
	Ticket           string `yaml:"ticket"`            // on_resolve, manual, off; default manual

	PageWait        Duration          `yaml:"page_wait"`               // for the diagnosis, with page auto; default 60s
	JiraRequestType string            `yaml:"jira_request_type"`       // of the project's service desk, in place of an issue type
	JiraFields      map[string]string `yaml:"jira_fields"`             // by name or id
	JiraResolve     string            `yaml:"jira_resolve_transition"` // what a ticket is moved by, or the status it is moved to, at the end
}

// Lineage says where the context graph comes from.
type Lineage struct {
	Manifests []Manifest    `yaml:"manifests"`
	Sources   []GraphSource `yaml:"sources"`
	Assets    []Asset       `yaml:"assets"`

	Catalogues     []Catalogue `yaml:"catalogues"`
	CatalogueEvery Duration    `yaml:"catalogue_every"` // how often they are read; default 6h

	Tokens  []Secret `yaml:"tokens"`  // bearer tokens of POST /intake/openlineage; several for rotation
	Refresh Duration `yaml:"refresh"` // how often files are looked at again; default 5m
}

// Manifest is one dbt manifest.
type Manifest struct {
	Path    string `yaml:"path"`
	Project string `yaml:"project"` // default: the project's name in the manifest
	Root    string `yaml:"root"`    // folder of the dbt project, for diffs
	Domain  string `yaml:"domain"`  // of its assets where nothing else says so

	Catalog    string `yaml:"catalog"`     // catalog.json of the same project: columns, types, rows
	RunResults string `yaml:"run_results"` // run_results.json of the same project: how the last runs went

	CodeOwners string `yaml:"codeowners"` // CODEOWNERS of the repository: who owns the files that define its assets
	CodeFolder string `yaml:"codefolder"` // of the dbt project in that repository, "analytics/dbt"; default: its top
}

// Asset is one asset, or facts about one that a manifest brings.
type Asset struct {
	ID          string            `yaml:"id"`
	Kind        string            `yaml:"kind"`
	Name        string            `yaml:"name"`
	Aliases     []string          `yaml:"aliases"`
	Description string            `yaml:"description"`
	Domain      string            `yaml:"domain"`
	Owners      []string          `yaml:"owners"`
	Feeds       []string          `yaml:"feeds"`    // ids of what it feeds
	FedBy       []string          `yaml:"fed_by"`   // ids of what feeds it
	Schedule    string            `yaml:"schedule"` // cron or interval
	Zone        string            `yaml:"zone"`     // default: timezone
	SLA         string            `yaml:"sla"`      // "07:00"
	Moves       string            `yaml:"moves"`    // money, customer, executive, internal
	Readers     int               `yaml:"readers"`
	Paused      bool              `yaml:"paused"`
	Harm        *Harm             `yaml:"harm"`
	File        string            `yaml:"file"`
	Root        string            `yaml:"root"`
	Properties  map[string]string `yaml:"properties"`
}

// Harm is a read-only query that counts who is harmed.
type Harm struct {
	Connection string `yaml:"connection"`
	Query      string `yaml:"query"`
	Unit       string `yaml:"unit"`
}

// Check is one check; which keys a kind takes is decided by package checks.
type Check struct {
	Name       string   `yaml:"name"`
	Kind       string   `yaml:"kind"`
	Asset      string   `yaml:"asset"` // default: what lineage knows as table
	Domain     string   `yaml:"domain"`
	Connection string   `yaml:"connection"`
	Table      string   `yaml:"table"`
	MainTable  string   `yaml:"main_table"`
	MainTime   string   `yaml:"main_time"`
	Where      string   `yaml:"where"`
	TimeColumn string   `yaml:"time_column"`
	TimeFormat string   `yaml:"time_format"`
	Bucket     string   `yaml:"bucket"`
	Zone       string   `yaml:"zone"`
	Column     string   `yaml:"column"` // short for columns of one
	Columns    []string `yaml:"columns"`
	Dimensions []string `yaml:"dimensions"`
	Private    []string `yaml:"private"` // columns whose values are never shown

	Partition    *Partition        `yaml:"partition"`
	GroupBy      []string          `yaml:"group_by"`       // at most two columns
	Values       []string          `yaml:"values"`         // accepted_values
	Regex        string            `yaml:"regex"`          // accepted_values
	Length       string            `yaml:"length"`         // accepted_values: what passes, in characters
	Min          *float64          `yaml:"min"`            // range
	To           string            `yaml:"to"`             // relationships, reconcile: the other table
	ToColumns    []string          `yaml:"to_columns"`     // relationships: its key
	ToConnection string            `yaml:"to_connection"`  // reconcile
	ToWhere      string            `yaml:"to_where"`       // reconcile
	ToTime       string            `yaml:"to_time_column"` // reconcile
	Expression   string            `yaml:"expression"`     // metric, reconcile: an aggregate
	MinShare     float64           `yaml:"min_share"`      // dimension: percent
	AllowNew     bool              `yaml:"allow_new"`      // schema: added columns pass
	Forbidden    []string          `yaml:"forbidden"`      // schema: columns that may not be there
	Types        map[string]string `yaml:"types"`          // schema: by column
	AcceptedAt   string            `yaml:"accepted_at"`    // schema: what was found up to this time is accepted

	Threshold   string   `yaml:"threshold"`  // what passes, "> 0"
	Warn        string   `yaml:"warn"`       // what passes without a warning
	Fail        string   `yaml:"fail"`       // what passes or warns; else the check fails
	Max         *float64 `yaml:"max"`        // dead_letter: new rows that still pass; range: the most that passes
	Share       float64  `yaml:"share"`      // dead_letter: percent of dead rows that still passes
	MinChange   float64  `yaml:"min_change"` // percent
	MinRows     int      `yaml:"min_rows"`
	Delay       Duration `yaml:"delay"`
	Weeks       int      `yaml:"weeks"`
	Anomaly     bool     `yaml:"anomaly"`      // missing, metric: judged by the detector
	Lateness    Duration `yaml:"lateness"`     // volume: age up to which late rows are looked for in a bucket
	Judge       string   `yaml:"judge"`        // volume: detector, the default without thresholds, or weeks
	FalseAlarms float64  `yaml:"false_alarms"` // detector: messages in 30 days that may be false
	Holidays    []string `yaml:"holidays"`     // detector: days that are not judged
	MaxAge      Duration `yaml:"max_age"`
	By          string   `yaml:"by"` // freshness: time of day, "07:00"
	Query       string   `yaml:"query"`
	Schedule    string   `yaml:"schedule"`
	Severity    string   `yaml:"severity"`
	Owner       string   `yaml:"owner"`
	Timeout     Duration `yaml:"timeout"`
	Description string   `yaml:"description"`
}

// Partition restricts a check to the newest rows.
type Partition struct {
	Column string   `yaml:"column"`
	Last   Duration `yaml:"last"`
}

// Changes says where change events come from.
type Changes struct {
	Files  []string `yaml:"files"`  // NDJSON, read again at each investigation
	Tokens []Secret `yaml:"tokens"` // bearer tokens of POST /intake/changes; several for rotation
}
