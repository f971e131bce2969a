package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"dw/app"
	"dw/config"
	"dw/connectors/pagerduty"
	"dw/workflows"
)

// pagerduty asks the account for everything that the configuration names there.
func (x *examination) pagerduty(ctx context.Context) []Finding {
	var f found
	if !x.asks(&f, x.c != nil && x.c.PagerDuty != nil, "not configured: dw pages nobody") {
		return f.list
	}
	client, err := x.project.PagerDuty(slog.New(slog.DiscardHandler))
	if err == nil {
		err = client.Check(ctx)
	}
	if err != nil {
		f.pager("pagerduty.api_key: ", err)
		return f.list
	}
	f.ok("abilities", "PagerDuty takes pagerduty.api_key")
	for _, name := range slices.Sorted(maps.Keys(x.c.PagerDuty.RoutingKeys)) {
		f.service(ctx, client, name)
	}
	x.pagerUsers(ctx, &f, client)
	x.rotas(ctx, &f, client)
	if len(x.c.PagerDuty.WebhookSecrets) == 0 {
		f.add(Warn, "pagerduty.webhook_secrets", "add a generic webhook (v3) in PagerDuty and its secret to pagerduty.webhook_secrets",
			"what people do to a page in PagerDuty does not come back to dw")
	}
	return f.list
}

// pager adds what PagerDuty refused, with what to do.
func (f *found) pager(about string, err error) {
	do := "let this machine reach pagerduty.api_url"
	if refused, ok := errors.AsType[*pagerduty.RefusedError](err); ok && refused.Advice != "" {
		do = refused.Advice
	}
	f.add(Fail, "pagerduty", do, about+err.Error())
}

// service looks a routing key up among the services' integrations.
func (f *found) service(ctx context.Context, client *pagerduty.Client, name string) {
	about := "pagerduty.routing_keys." + name
	s, found, err := client.ServiceOf(ctx, name)
	switch {
	case err != nil:
		f.pager(about+": ", err)
	case !found:
		f.add(Warn, "services", "copy the integration key of an Events API v2 integration into "+about+", unless it is an event orchestration's",
			about+": no service has an integration with this key; it is wrong, or an event orchestration's, which the API does not show")
	case s.Status == "disabled":
		f.add(Fail, "services", "enable the service in PagerDuty", fmt.Sprintf("%s: the service %s (%s) is disabled and pages nobody", about, s.Name, s.ID))
	case s.Status == "maintenance":
		f.add(Warn, "services", "end the maintenance window in PagerDuty", fmt.Sprintf("%s: the service %s (%s) is in maintenance and pages nobody", about, s.Name, s.ID))
	default:
		f.ok("services", fmt.Sprintf("%s is the service %s (%s), escalation policy %s", about, s.Name, s.ID, s.Policy))
	}
}

// pagerUsers holds that each domain that pages has a person in whose name notes
// are written.
func (x *examination) pagerUsers(ctx context.Context, f *found, client *pagerduty.Client) {
	for _, name := range slices.Sorted(maps.Keys(x.c.Domains)) {
		d := x.c.Domains[name]
		if d.PagerDutyService == "" {
			continue
		}
		about, author := "domains."+name, ""
		for _, who := range chain(d) {
			email := x.c.People[who].Email
			if email == "" {
				continue
			}
			user, err := client.UserByEmail(ctx, email)
			if refused, ok := errors.AsType[*pagerduty.RefusedError](err); ok && refused.Reason == pagerduty.ReasonUser {
				f.add(Warn, "users", refused.Advice, fmt.Sprintf("people.%s: PagerDuty has no user %s", who, email))
				continue
			}
			if err != nil {
				f.pager("people."+who+": ", err)
				continue
			}
			if author == "" {
				author = user.Name
			}
		}
		if author == "" {
			f.add(Fail, "users", "give somebody of the chain the e-mail of their PagerDuty account in people", about+": nobody of the chain is a PagerDuty user, in whose name notes could be written")
			continue
		}
		f.ok("users", about+": notes can be written in the name of "+author)
	}
}

// chain lists the names of a domain's chain.
func chain(d config.Domain) []string {
	return slices.DeleteFunc(append([]string{d.Owner, d.Deputy}, d.Escalation...), func(who string) bool { return who == "" })
}

// rotas reads each rota as dw does when it asks for a decision.
func (x *examination) rotas(ctx context.Context, f *found, client *pagerduty.Client) {
	for _, name := range slices.Sorted(maps.Keys(x.c.People)) {
		who := x.c.People[name]
		if !who.OnCall() {
			continue
		}
		rota := workflows.Rota{Name: "people." + name, Schedule: who.Schedule, Policy: who.Policy}
		if x.self.Team == "" {
			f.skip(rota.String() + ": the workspace does not accept the bot token")
			continue
		}
		emails := map[string]string{}
		for known, id := range x.ids {
			emails[id] = x.c.People[known].Email
		}
		watch, err := app.RotaReader(client, x.client, x.self.Team, emails).OnCall(ctx, rota)
		f.rota(rota, watch, err)
	}
}

func (f *found) rota(rota workflows.Rota, watch workflows.Watch, err error) {
	if err != nil {
		f.pager(rota.String()+": ", err)
		return
	}
	for _, why := range watch.Unasked {
		f.add(Warn, "oncalls", "give them the same e-mail in Slack and PagerDuty, or tie it to a Slack id in people", rota.String()+": "+why)
	}
	for _, who := range watch.People {
		f.ok("oncalls", fmt.Sprintf("%s: %s (%s) is on call now", rota, who.Name, who.User))
	}
	if len(watch.People)+len(watch.Unasked) == 0 {
		f.add(Warn, "oncalls", "fill the rota in PagerDuty; until then the rest of the chain is asked", rota.String()+": nobody is on call now")
	}
}
