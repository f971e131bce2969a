package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dw/app"
	"dw/config"
)

// config reads the file. What is wrong in it is one finding each; the Slack
// section may be wrong and the rest is examined all the same.
func (x *examination) config(context.Context) []Finding {
	var f found
	x.c, _ = config.Load(x.o.Config, x.o.From)
	whole, err := app.LoadProject(x.o.Config, x.o.From, false)
	if err == nil {
		x.project = whole
		f.ok(x.o.Config, fmt.Sprintf("good: %d checks, %d domains, %d assets", len(whole.Specs), len(whole.Config.Domains), whole.Graph.Len()))
	} else {
		x.project, _ = app.LoadProject(x.o.Config, x.o.From, true)
		f.problems(x.o.Config, err)
	}
	f.envFile(filepath.Join(filepath.Dir(x.o.Config), config.EnvFileName))
	if len(f.list) == 1 && err == nil && len(whole.Specs) == 0 {
		f.add(Warn, x.o.Config, "add a check: dw init in an empty folder proposes a first set for a table", "no check is configured, so dw watches nothing")
	}
	return f.list
}

// problems makes one finding of each problem of the file.
func (f *found) problems(path string, err error) {
	problems, several := errors.AsType[config.Problems](err)
	if !several {
		f.add(Fail, path, "correct it", err.Error())
		return
	}
	for _, p := range problems {
		source := p.File
		if p.Line > 0 {
			source = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
		}
		f.add(Fail, source, doAbout(p, path), strings.TrimPrefix(p.Key+": ", ": ")+p.What)
	}
}

func doAbout(p config.Problem, path string) string {
	switch {
	case p.Line == 0 && p.Key == "":
		return "name the file with -c, or make one: dw init"
	case strings.HasPrefix(p.Key, "slack."):
		return "make the Slack app and put its tokens into " + config.EnvFileName + " beside " + path + ": docs/slack-setup.md"
	default:
		return fmt.Sprintf("correct %s in line %d of %s", p.Key, p.Line, p.File)
	}
}

// envFile holds that others cannot read the secrets beside the configuration.
func (f *found) envFile(path string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		f.add(Warn, path, "let the user of dw read it", "cannot be looked at: "+err.Error())
	case info.Mode().Perm()&0o077 != 0:
		f.add(Warn, path, "chmod 600 "+path, fmt.Sprintf("its mode is %04o: others on this machine can read the secrets in it", info.Mode().Perm()))
	default:
		f.ok(path, "only its owner can read it")
	}
}
