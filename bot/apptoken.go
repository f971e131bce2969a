package bot

import (
	"context"
	"errors"
)

// CheckAppToken asks Slack for the address of a connection with the app-level
// token and does not open it: an open one would take events from a dw that
// runs. A *FatalError says what a person must change; any other error, that
// Slack could not be asked.
func CheckAppToken(ctx context.Context, appToken string, o ClientOptions) error {
	if appToken == "" {
		return errors.New("check the app-level token: it is empty")
	}
	if o.HTTP == nil {
		o.HTTP = NewHTTPClient()
		defer o.HTTP.CloseIdleConnections()
	}
	_, err := ticket(ctx, webAPI{base: apiURL(o.APIURL), token: newSecret(appToken), http: o.HTTP})
	return err
}
