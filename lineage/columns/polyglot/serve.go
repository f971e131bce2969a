package polyglot

import (
	"context"
	"errors"
	"io"

	"dw/lineage/columns/wire"
)

// Serve answers the requests that come in with the engine of a folder, one by
// one, until they end. It says first that it is ready.
func Serve(ctx context.Context, folder string, in io.Reader, out io.Writer) (err error) {
	engine, err := Open(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	if err := wire.Write(out, wire.Ready{Engine: Version}); err != nil {
		return err
	}
	for {
		var request wire.Request
		if err := wire.Read(in, &request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		reply := wire.Reply{ID: request.ID}
		analysis, refused := engine.Analyze(ctx, request.SQL, request.Options)
		if reply.Analysis = analysis; refused != nil {
			reply.Error = refused.Error()
		}
		err := wire.Write(out, reply)
		if errors.Is(err, wire.ErrTooLong) {
			err = wire.Write(out, wire.Reply{ID: request.ID, Error: err.Error()})
		}
		if err != nil {
			return err
		}
	}
}
