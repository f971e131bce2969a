package config

import (
	"fmt"
	"regexp"
	"strings"
)

// minWebhookSecret is the shortest secret that guards anything.
const minWebhookSecret = 16

func (c *Config) checkDagster(add adder) {
	if c.Dagster == nil {
		return
	}
	if c.Dagster.URL == "" {
		add("dagster.url", "is missing: the address of Dagster's web server, such as http://dagster:3000")
	}
	checkURL(add, "dagster.url", c.Dagster.URL)
}

func (c *Config) checkPagerDuty(add adder) {
	p := c.PagerDuty
	if p == nil {
		return
	}
	if p.APIKey.Empty() {
		add("pagerduty.api_key", "is missing: a REST API key with write access, as ${PAGERDUTY_API_KEY} or api_key_file; notes and read-backs need it")
	}
	if len(p.RoutingKeys) == 0 {
		add("pagerduty.routing_keys", "is missing: the integration key (Events API v2) of each service, by a name that domains use")
	}
	for _, name := range sortedKeys(p.RoutingKeys) {
		if p.RoutingKeys[name].Empty() {
			add("pagerduty.routing_keys."+name, "is empty: the integration key (Events API v2) of the service")
		}
	}
	for i, secret := range p.WebhookSecrets {
		if len(secret.Reveal()) < minWebhookSecret {
			add(fmt.Sprintf("pagerduty.webhook_secrets[%d]", i), "is shorter than %d characters", minWebhookSecret)
		}
	}
	checkURL(add, "pagerduty.api_url", p.APIURL)
	checkURL(add, "pagerduty.events_url", p.EventsURL)
}

func (c *Config) checkJira(add adder) {
	j := c.Jira
	if j == nil {
		return
	}
	if j.URL == "" {
		add("jira.url", "is missing: https://SITE.atlassian.net, or that of your Data Center")
	}
	if j.Token.Empty() {
		add("jira.token", "is missing: an API token (Cloud) or a personal access token (Data Center), as ${JIRA_TOKEN} or token_file")
	}
	checkURL(add, "jira.url", j.URL)
	checkURL(add, "jira.site_url", j.SiteURL)
}

// checkPage checks what a domain says about paging.
func (c *Config) checkPage(add adder, key string, d Domain) {
	if d.Page != "" {
		oneOf(add, key+".page", d.Page, "auto", "manual", "off")
		if d.PagerDutyService == "" && d.Page != "off" {
			add(key+".page", "needs pagerduty_service, a name of pagerduty.routing_keys")
		}
	}
	if d.PageWait != 0 && d.Page != "auto" {
		add(key+".page_wait", "needs page: auto; who asks for a page does not wait")
	}
	if d.PagerDutyService == "" {
		return
	}
	if c.PagerDuty == nil {
		add(key+".pagerduty_service", "needs the block pagerduty")
		return
	}
	if _, known := c.PagerDuty.RoutingKeys[d.PagerDutyService]; !known {
		add(key+".pagerduty_service", "%q is not in pagerduty.routing_keys", d.PagerDutyService)
	}
}

// checkFollowUp refuses what says how to open tickets where no project is named.
func checkFollowUp(add adder, key string, d Domain) {
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"jira_issue_type", d.JiraIssueType != ""},
		{"jira_request_type", d.JiraRequestType != ""},
		{"jira_fields", len(d.JiraFields) > 0},
		{"jira_resolve_transition", d.JiraResolve != ""},
	} {
		if k.set {
			add(key+"."+k.name, "needs jira_project")
		}
	}
}

// projectPattern is the form of Jira's project keys.
var projectPattern = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,254}$`)

// checkTicket checks what a domain says about tickets.
func (c *Config) checkTicket(add adder, key string, d Domain) {
	if d.Ticket != "" {
		oneOf(add, key+".ticket", d.Ticket, "on_resolve", "manual", "off")
		if d.JiraProject == "" && d.Ticket != "off" {
			add(key+".ticket", "needs jira_project")
		}
	}
	if d.JiraIssueType != "" && d.JiraRequestType != "" {
		add(key+".jira_request_type", "a service request has its own issue type: leave jira_issue_type out")
	}
	if d.JiraProject == "" {
		checkFollowUp(add, key, d)
		return
	}
	for _, field := range sortedKeys(d.JiraFields) {
		if strings.TrimSpace(d.JiraFields[field]) == "" {
			add(key+".jira_fields."+field, "has no value")
		}
	}
	if c.Jira == nil {
		add(key+".jira_project", "needs the block jira")
	}
	if !projectPattern.MatchString(d.JiraProject) {
		add(key+".jira_project", "%q is no project key; one looks like OPS", d.JiraProject)
	}
}
