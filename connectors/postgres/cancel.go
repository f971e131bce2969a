package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// insist is how long a cancel request is given before the next. A server drops
// one that arrives between two messages of a statement.
const insist = 250 * time.Millisecond

// canceller tells the server to stop a statement when its context ends, again
// and again until it has, so that the connection stays of use. A server that does
// not answer in time loses the connection.
type canceller struct {
	conn *pgconn.PgConn
	stop context.CancelFunc
	done chan struct{}
}

// HandleCancel meets ctxwatch.Handler: the context has ended.
func (c *canceller) HandleCancel(context.Context) {
	// The caller's context is over; this one ends with the statement.
	ctx, stop := context.WithTimeout(context.Background(), goodbye)
	c.stop, c.done = stop, make(chan struct{})
	last, _ := ctx.Deadline()
	_ = c.conn.Conn().SetDeadline(last) // a connection that is closed already needs none
	go func() {
		defer close(c.done)
		for ctx.Err() == nil {
			_ = c.conn.CancelRequest(ctx) // the deadline is what remains where it fails
			select {
			case <-ctx.Done():
			case <-time.After(insist):
			}
		}
	}()
}

// HandleUnwatchAfterCancel meets ctxwatch.Handler: the statement has ended.
func (c *canceller) HandleUnwatchAfterCancel() {
	c.stop()
	<-c.done
	_ = c.conn.Conn().SetDeadline(time.Time{}) // one that is closed already needs none
}
