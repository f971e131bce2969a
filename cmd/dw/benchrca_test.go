package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestBenchRCA: leaves in, segments out, best first; what is no incident has no
// answer.
func TestBenchRCA(t *testing.T) {
	t.Parallel()
	incident := func(factor func(site, kind int) int) string {
		var b strings.Builder
		b.WriteString("site,kind,expected,actual\n")
		for site := range 6 {
			for kind := range 5 {
				fmt.Fprintf(&b, "s%d,k%d,%d,%d\n", site, kind, 200, 200*factor(site, kind)+(site*7+kind*3)%11)
			}
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		in   string
		want string
		code int
	}{
		"one is gone": {incident(func(site, _ int) int { return min(1, max(site-2, 2-site)) }), `[{"site":"s2"}]`, 0},
		"two together come twice": {incident(func(site, kind int) int {
			if site == 1 && kind == 3 {
				return 2
			}
			return 1
		}), `[{"kind":"k3","site":"s1"}]`, 0},
		"nothing is off":   {incident(func(int, int) int { return 1 }), `[]`, 0},
		"no expected rows": {"site,actual\ns1,3\n", "", 2},
		"no numbers":       {"site,expected,actual\ns1,many,3\n", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), binary, "bench", "rca")
			var out bytes.Buffer
			cmd.Stdin, cmd.Stdout = strings.NewReader(c.in), &out
			code := 0
			var exit *exec.ExitError
			if err := cmd.Run(); errors.As(err, &exit) {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(out.String()); code != c.code || got != c.want {
				t.Errorf("exit code %d, %s; want %d, %s", code, got, c.code, c.want)
			}
		})
	}
}
