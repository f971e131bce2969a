package pagerduty

import (
	"context"
	"fmt"

	sdk "github.com/PagerDuty/go-pagerduty"
)

// Service is a service of the account.
type Service struct {
	ID     string
	Name   string
	Status string // "active", "warning", "critical", "maintenance" or "disabled"
	Policy string // name of its escalation policy
}

// ServiceOf returns the service that receives what is sent under the routing key
// of a service of dw's configuration. It reports false where no service has an
// integration of that key: it is wrong, or belongs to an event orchestration,
// which this API does not show.
func (c *Client) ServiceOf(ctx context.Context, service string) (Service, bool, error) {
	k := &call{name: "find the service of the routing key of " + service, service: service, repeatable: true}
	key := c.key(service)
	if key == "" {
		return Service{}, false, &RefusedError{Call: System + ": " + k.name, Reason: ReasonUnknown, Advice: fmt.Sprintf("no routing key is configured for service %q; configured are %q", service, c.services)}
	}
	o := sdk.ListServiceOptions{Limit: 100, Includes: []string{"integrations"}}
	for range maxPages {
		var page *sdk.ListServiceResponse
		err := c.ask(ctx, k, func(ctx context.Context) (err error) {
			page, err = c.api.ListServicesWithContext(ctx, o)
			return err
		})
		if err != nil {
			return Service{}, false, err
		}
		for _, s := range page.Services {
			for _, i := range s.Integrations {
				if i.IntegrationKey == key {
					return Service{ID: s.ID, Name: s.Name, Status: s.Status, Policy: s.EscalationPolicy.Summary}, true, nil
				}
			}
		}
		if !page.More || len(page.Services) == 0 {
			return Service{}, false, nil
		}
		o.Offset += uint(len(page.Services))
	}
	return Service{}, false, fmt.Errorf("pagerduty: %s: more than %d services; look it up there", k.name, maxPages*100)
}
