package dagster

import "context"

// Version asks the server for its version, such as "1.11.4": the cheapest call
// that shows that it answers and accepts the token.
func (c *Client) Version(ctx context.Context) (string, error) {
	q := query{name: "read the version", file: "version"}
	var out struct {
		Version string `json:"version"`
	}
	if err := c.ask(ctx, q, &out); err != nil {
		return "", err
	}
	return out.Version, nil
}
