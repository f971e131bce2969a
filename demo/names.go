package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The story's own names. Everything that shows one goes through Names, so that
// --names can replace it.
const (
	tableOrders  = "fct_ticket_orders"
	tableEvents  = "checkout_events"
	tableDead    = "checkout_events_dlq"
	jobBuild     = "ticket_orders_build"
	jobPayout    = "promoter_payouts"
	pipelineFeed = "partner_feed"
	exploreSales = "gross_ticket_sales"

	tableSettled   = "settled_sales"
	tableRaw       = "raw_settled_sales"
	tableRevenue   = "fct_revenue"
	jobRevenue     = "revenue_load"
	mappingRevenue = "settled_sales_load"
	exploreRevenue = "daily_revenue"

	channelIncidents = "data-incidents"
	channelGeneral   = "data-general"

	personOwner      = "Mara Lindqvist"
	personDeputy     = "Jonas Weber"
	personEscalation = "Priya Nair"
	personFinance    = "Tom Aldridge"
	personAnalyst    = "Nele Brandt"
	personGuest      = "Alex Ferro"

	valueWeb       = "web"
	valueApp       = "app"
	valueBoxOffice = "boxoffice"
	valueDesktop   = "desktop"
	valueMobile    = "mobile"
	valueIOS       = "ios"
	valueAndroid   = "android"
	valueCounter   = "pos"

	harmUnit = "organizers"
)

// nameRule says what may stand for one kind of name.
type nameRule struct {
	kind  string
	names []string
	fits  *regexp.Regexp
	want  string
	fold  bool // names that differ only in case are the same
}

var (
	identifierPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)
	channelPattern    = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,79}$`)
)

func nameRules() []nameRule {
	return []nameRule{
		{
			kind: "table, topic, job or pipeline", fold: true, fits: identifierPattern,
			names: []string{tableOrders, tableEvents, tableDead, jobBuild, jobPayout, pipelineFeed, exploreSales, tableSettled, tableRaw, tableRevenue, jobRevenue, mappingRevenue, exploreRevenue},
			want:  "letters, digits and underscores, not a digit first, at most 63",
		},
		{
			kind: "Slack channel", fits: channelPattern, names: []string{channelIncidents, channelGeneral},
			want: "small letters, digits, dashes and underscores, at most 80",
		},
		{kind: "person", names: []string{personOwner, personDeputy, personEscalation, personFinance, personAnalyst, personGuest}},
		{kind: "channel of sale", names: []string{valueWeb, valueApp, valueBoxOffice}},
		{kind: "device", names: []string{valueDesktop, valueMobile, valueIOS, valueAndroid, valueCounter}},
		{kind: "unit", names: []string{harmUnit}},
	}
}

// Names maps each of the story's names to the one that is shown instead.
type Names map[string]string

// DefaultNames returns the story's own names.
func DefaultNames() Names {
	n := Names{}
	for _, rule := range nameRules() {
		for _, name := range rule.names {
			n[name] = name
		}
	}
	return n
}

// LoadNames reads a JSON object, story name to new name. Names that are left out
// stay. The error says every name that cannot be used, and why.
func LoadNames(path string) (Names, error) {
	if path == "" {
		return DefaultNames(), nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the names: %w", err)
	}
	var given map[string]string
	if err := json.Unmarshal(content, &given); err != nil {
		return nil, fmt.Errorf("read the names: %s is not a JSON object of texts: %w", path, err)
	}
	names, err := renamed(given)
	if err != nil {
		return nil, fmt.Errorf("names in %s: %w", path, err)
	}
	return names, nil
}

func renamed(given map[string]string) (Names, error) {
	names := DefaultNames()
	var errs []error
	for _, story := range slices.Sorted(maps.Keys(given)) {
		if _, known := names[story]; !known {
			errs = append(errs, fmt.Errorf("%q is no name of the story; these are: %s", story, strings.Join(slices.Sorted(maps.Keys(DefaultNames())), ", ")))
			continue
		}
		names[story] = given[story]
	}
	for _, rule := range nameRules() {
		errs = append(errs, rule.check(names)...)
	}
	return names, errors.Join(errs...)
}

// check refuses names that cannot be used, and two that are the same.
func (r nameRule) check(n Names) []error {
	var errs []error
	seen := map[string]string{}
	for _, story := range r.names {
		name := n[story]
		switch why := unusable(name); {
		case why != "":
			errs = append(errs, fmt.Errorf("%s: %q %s", story, name, why))
		case r.fits != nil && !r.fits.MatchString(name):
			errs = append(errs, fmt.Errorf("%s: %q cannot be the name of a %s: write %s", story, name, r.kind, r.want))
		}
		key := name
		if r.fold {
			key = strings.ToLower(name)
		}
		if other, twice := seen[key]; twice {
			errs = append(errs, fmt.Errorf("%s: %q is already the name of %s", story, name, other))
		}
		seen[key] = story
	}
	return errs
}

// maxName bounds names that may hold any character, in characters.
const maxName = 80

// unusable says what no name may hold: what cannot be seen, and ${, which the
// configuration would read as a variable.
func unusable(name string) string {
	switch {
	case strings.TrimSpace(name) != name || name == "":
		return "is empty or has spaces around it"
	case !utf8.ValidString(name) || strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return "holds characters that cannot be shown"
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Sprintf("has more than %d characters", maxName)
	case strings.Contains(name, "${") || strings.Contains(name, "{{") || strings.Contains(name, "$${"):
		return "holds ${ or {{, which configuration and pipeline files would expand"
	}
	return ""
}

// sqlText writes a text as an SQL literal.
func sqlText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// sqlName writes a name as a quoted SQL identifier.
func sqlName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// quoted writes a text as JSON, which YAML and the pipelines' mapping language
// read too.
func quoted(s string) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return "", fmt.Errorf("quote a name: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
