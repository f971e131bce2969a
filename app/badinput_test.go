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
		"wrong schedule":          {replace("schedule: 20 * * * *", "schedule: whenever"), []string{"checks[0].schedule: "}},
		"twice the same name":     {replace("name: rejected readings", "name: readings per hour"), []string{"checks[1].name: "}},
		"a stranger in the chain": {replace("deputy: dan", "deputy: nobody"), []string{"domains.grid.deputy: \"nobody\" is not in people"}},
		"short intake token":      {replace("tokens: ["+intakeKey+"]", "tokens: [short]"), []string{"changes.tokens[0]: "}},
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
