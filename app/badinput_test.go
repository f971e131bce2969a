package app_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"dw/app"
	"dw/config"
)

// TestEveryProblemIsNamed: a wrong configuration is answered with every problem
// at once, each with file, line, column and key, and no problem is made up.
func TestEveryProblemIsNamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit func(string) string
		want []string // "key: words"
	}{
		"good":                    {func(s string) string { return s }, nil},
		"unknown key":             {replace("    owner: olga", "    owner: olga\n    ownr: olga"), []string{"domains.grid.ownr: "}},
		"missing token":           {replace("bot_token: "+botToken, "bot_token: ${DW_TEST_NOT_SET}"), []string{"slack.bot_token: environment variable DW_TEST_NOT_SET is not set"}},
		"no such database":        {replace("path: warehouse.db", "path: gone.db"), []string{"connections.warehouse.path: cannot be read"}},
		"no such manifest":        {replace("path: project/manifest.json", "path: project/gone.json"), []string{"lineage.manifests[0].path: cannot be read"}},
		"malformed manifest":      {replace("path: project/manifest.json", "path: config.yaml"), []string{"lineage.manifests[0].path: "}},
		"unknown kind":            {replace("kind: volume", "kind: volumes"), []string{"checks[0].kind: "}},
		"unknown asset":           {replace("asset: dbt://grid/model.grid.fct_readings", "asset: fct_raedings"), []string{"checks[0].asset: ", "checks[2].asset: "}},
		"wrong threshold":         {replace("    delay: 10m", "    delay: 10m\n    threshold: lots"), []string{"checks[0].threshold: "}},
		"columns twice":           {replace("    delay: 10m", "    delay: 10m\n    column: a\n    columns: [b]"), []string{"checks[0].column: stands beside columns"}},
		"max of half a row":       {replace("    delay: 10m", "    delay: 10m\n    max: 0.5"), []string{"checks[0].max: 0.5 is not a whole number"}},
		"max that is text":        {replace("    delay: 10m", "    delay: 10m\n    max: many"), []string{"checks[0].max: \"many\" is no number"}},
		"regex on SQLite":         {replace("    delay: 10m", "    delay: 10m\n    regex: ^a"), []string{"checks[0].regex: SQLite has no regular expressions"}},
		"wrong time":              {replace("    delay: 10m", "    delay: 10m\n    accepted_at: yesterday"), []string{"checks[0].accepted_at: \"yesterday\" is not a time"}},
		"compare with nowhere":    {replace("    delay: 10m", "    delay: 10m\n    to_connection: lake"), []string{"checks[0].to_connection: \"lake\" is not in connections"}},
		"half a partition":        {replace("    delay: 10m", "    delay: 10m\n    partition: {last: 48h}"), []string{"checks[0].partition: a volume check takes no partition"}},
		"a kind without its keys": {replace("kind: volume", "kind: relationships"), []string{"checks[0].to: a relationships check needs it", "checks[0].columns: "}},
		"wrong schedule":          {replace("schedule: 20 * * * *", "schedule: whenever"), []string{"checks[0].schedule: "}},
		"twice the same name":     {replace("name: rejected readings", "name: readings per hour"), []string{"checks[1].name: "}},
		"a stranger in the chain": {replace("deputy: dan", "deputy: nobody"), []string{"domains.grid.deputy: \"nobody\" is not in people"}},
		"short intake token":      {replace("tokens: ["+intakeKey+"]", "tokens: [short]"), []string{"changes.tokens[0]: "}},
		"a source of signals without a token": {
			addSource("{name: gx, tool: great_expectations, domain: grid}"),
			[]string{"signals.sources[0].tokens: source gx: a token or a key is needed"},
		},
		"a source of signals that is no tool": {
			addSource("{name: GX 1, tool: nagios, domain: mars, tokens: [" + intakeKey + "], assets: {suite: fct_raedings}}"),
			[]string{
				"signals.sources[0].name: must be 1 to 40", "signals.sources[0].domain: \"mars\" is not in domains",
				"signals.sources[0].tool: \"nagios\" is not one of airflow, ", "signals.sources[0].assets.suite: unknown asset \"fct_raedings\"",
			},
		},
		"two sources of one name": {
			addSource("{name: a, tool: soda, domain: grid, tokens: [" + intakeKey + "]}\n    - {name: a, tool: dbt, domain: grid, tokens: [" + intakeKey + "]}"),
			[]string{"signals.sources[1].name: \"a\" stands here twice"},
		},
		"harm that writes": {
			replace("select count(distinct reading_id) from readings_rejected", "delete from readings_rejected"),
			[]string{"lineage.assets[4].harm.query: "},
		},
		"harm without a query":        {replace("query: \"select count(distinct reading_id) from readings_rejected\", ", ""), []string{"lineage.assets[4].harm.query: "}},
		"wrong schedule of an asset":  {replace("schedule: 0 2 * * *", "schedule: 0 26 * * *"), []string{"lineage.assets[4].schedule: "}},
		"a schedule that never fires": {replace("schedule: 0 2 * * *", "schedule: 0 2 30 2 *"), []string{"lineage.assets[4].schedule: "}},
		"wrong zone":                  {replace("timezone: UTC", "timezone: Mars/One"), []string{"timezone: \"Mars/One\" is no time zone"}},
		"wrong class of harm":         {replace("moves: money", "moves: cash"), []string{"lineage.assets[4].moves: \"cash\" is not one of"}},
		"no id":                       {replace("id: looker://usage", "id: \"\""), []string{"lineage.assets[5].id: is missing"}},
		"wrong id":                    {replace("id: looker://usage", "id: usage"), []string{"lineage.assets[5]: asset \"usage\": the id must"}},
		"no kind":                     {replace("kind: topic", "kind: \"\""), []string{"lineage.assets[0]: asset kafka://readings: no source states its kind"}},
		"edges to nowhere": {func(s string) string {
			return replace("feeds: [\"kafka://readings\"]", "feeds: [\"kafka://readings\", \"kafka://reedings\", \"kafka://reedings\"]")(replace("kind: explore", "kind: explore\n      readers: -1")(
				replace("owners: [esra]\n      fed_by: [", "owners: [esra]\n      fed_by: [\"dbt://grid/model.grid.gone\", ")(s)))
		}, []string{
			"lineage.assets[1].feeds[1]: edge connect://relay -> kafka://reedings: to: ", "lineage.assets[1].feeds[2]: edge connect://relay -> kafka://reedings: to: ",
			"lineage.assets[4].fed_by[0]: edge dbt://grid/model.grid.gone -> dagster://bill_meters: from: ", "lineage.assets[5]: asset looker://usage: readers is -1",
		}},
		"graph, harm and chain at once": {func(s string) string {
			return replace("kind: topic", "kind: \"\"")(replace("select count(distinct", "drop count(distinct")(replace("deputy: dan", "deputy: olga")(s)))
		}, []string{"domains.grid.deputy: \"olga\" stands here already", "lineage.assets[0]: ", "lineage.assets[4].harm.query: "}},
		"many at once": {func(s string) string {
			return replace("kind: volume", "kind: volumes")(replace("    owner: olga", "    ownr: olga")(replace("app_token: "+appToken, "app_token: \"\"")(s)))
		}, []string{"slack.app_token: ", "domains.grid.ownr: ", "domains.grid.owner: is missing", "checks[0].kind: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, tc.edit)
			project, err := app.LoadProject(e.path("config.yaml"), config.OS(), false)
			if err == nil {
				_ = project.Close()
			}
			checkProblems(t, e.path("config.yaml"), err, tc.want)
		})
	}
}

var placed = regexp.MustCompile(`:[1-9][0-9]*:[1-9][0-9]* \S+: `)

func checkProblems(t *testing.T, file string, err error, want []string) {
	t.Helper()
	var problems config.Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatalf("the error is no list of problems: %v", err)
	}
	if len(problems) != len(want) {
		t.Errorf("%d problems, want %d:\n%v", len(problems), len(want), err)
	}
	for _, problem := range problems {
		line := problem.Error()
		if !strings.HasPrefix(line, file) || !placed.MatchString(line) {
			t.Errorf("a problem does not say where it stands: %s", line)
		}
	}
	for _, words := range want {
		if !strings.Contains(fmt.Sprint(err), " "+words) {
			t.Errorf("no problem says %q:\n%v", words, err)
		}
	}
}
