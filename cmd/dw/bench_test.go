package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestBenchDetect: rows in, alarms out, and no answer for a file that holds them.
func TestBenchDetect(t *testing.T) {
	t.Parallel()
	var series strings.Builder
	series.WriteString("timestamp,value\n")
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for hour := range 24 * 40 {
		value := 1000 + 7*(hour%13)
		if hour == 24*39+11 {
			value = 0
		}
		series.WriteString(start.Add(time.Duration(hour)*time.Hour).Format(time.RFC3339) + "," + strconv.Itoa(value) + "\n")
	}
	dir := t.TempDir()
	cases := map[string]struct {
		meta string
		code int
	}{
		"a series":       {`{"bucket_seconds":3600,"metric":"count","holidays":null}`, 0},
		"told of faults": {`{"bucket_seconds":3600,"windows":[{"start":"2026-04-10T11:00:00Z"}]}`, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".json")
			if err := os.WriteFile(path, []byte(c.meta), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), binary, "bench", "detect", "--meta", path)
			var out bytes.Buffer
			cmd.Stdin, cmd.Stdout = strings.NewReader(series.String()), &out
			code := 0
			var exit *exec.ExitError
			if err := cmd.Run(); errors.As(err, &exit) {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if code != c.code {
				t.Fatalf("exit code %d, want %d", code, c.code)
			}
			if c.code == 0 && (!strings.Contains(out.String(), "2026-04-10T11:00:00Z,1\n") || strings.Count(out.String(), ",1\n") != 1) {
				t.Errorf("the alarms are not the one empty hour:\n%s", out.String())
			}
			if c.code != 0 && out.Len() > 0 {
				t.Errorf("it answered %s", out.String())
			}
		})
	}
}
