package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"dw/config"
	"dw/intake/signals"
)

// signalFile is a file of signals with what was seen of it last.
type signalFile struct {
	config.SignalFile
	feed signals.Feed
	mark string // of the file when it was taken in; empty before
	said string // what is wrong with it, as it was logged
}

// keepSignalFiles takes in the configured files of signals, each when it has
// changed. One that is not there yet says nothing; one that cannot be read is
// logged once and tried again.
func (a *App) keepSignalFiles(ctx context.Context) error {
	var files []*signalFile
	for _, f := range a.project.Config.Signals.Files {
		files = append(files, &signalFile{SignalFile: f, feed: signals.Feed{Name: f.Name, Tool: f.Tool, Recorder: newSignalSink(a, f.Source())}})
	}
	if len(files) == 0 {
		<-ctx.Done()
		return nil
	}
	ticks := time.NewTicker(a.project.Config.Signals.Every.Or(time.Minute))
	defer ticks.Stop()
	for {
		for _, f := range files {
			a.takeSignalFile(ctx, f)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// takeSignalFile takes in one file if it has changed, and logs what came of it.
func (a *App) takeSignalFile(ctx context.Context, f *signalFile) {
	answer, fresh, err := f.take(ctx, a.project.Now())
	switch {
	case err != nil && ctx.Err() == nil && err.Error() != f.said:
		f.said = err.Error()
		a.log.WarnContext(ctx, "a file of signals was not taken in", "source", f.Name, "error", err)
	case err == nil && fresh:
		f.said = ""
		a.log.InfoContext(ctx, "signals of a file", "source", f.Name, "recorded", answer.Recorded, "known", answer.Known, "old", answer.Old, "unknown", len(answer.Unknown))
	}
}

// take reads the file where it is another than the last time.
func (f *signalFile) take(ctx context.Context, now time.Time) (answer signals.Answer, fresh bool, err error) {
	info, err := os.Stat(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return answer, false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file: opening it may wait for ever", f.Path)
	}
	if err != nil {
		return answer, false, err
	}
	mark := fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
	if mark == f.mark {
		return answer, false, nil
	}
	body, err := readSignalFile(f.Path)
	if err != nil {
		return answer, false, err
	}
	if answer, err = f.feed.Take(ctx, body, now); err != nil {
		return answer, false, fmt.Errorf("%s: %w", f.Path, err)
	}
	f.mark = mark // a file that is half written is no JSON, and is read again
	return answer, true, nil
}

func readSignalFile(path string) (_ []byte, err error) {
	file, err := os.Open(path) //nolint:gosec // the configuration names it
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	body, err := io.ReadAll(io.LimitReader(file, signals.MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(body) > signals.MaxBody {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, signals.MaxBody)
	}
	return body, nil
}
