package dw_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSystemdUnit: systemd itself reads the unit without a complaint, and the
// fences that operations.md promises stand in it.
func TestSystemdUnit(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("packaging/dw.service")
	if err != nil {
		t.Fatal(err)
	}
	unit := string(content)
	for _, fence := range []string{"DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "StateDirectory=dw", "CapabilityBoundingSet=\n", "RestartPreventExitStatus=2"} {
		if !strings.Contains(unit, "\n"+fence) {
			t.Errorf("the unit lacks %s", strings.TrimSpace(fence))
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed: the unit was not read by systemd")
	}
	// The binary is not installed where tests run.
	path := filepath.Join(t.TempDir(), "dw.service")
	if err := os.WriteFile(path, []byte(strings.Replace(unit, "ExecStart=/usr/local/bin/dw", "ExecStart=/bin/true", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(analyze, "verify", path).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, said)
	}
}

// TestDockerfile holds the image to what can be read of it: the last stage has no
// shell and no package manager, runs as a number that is not root, and starts the
// program itself.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages := regexp.MustCompile(`(?m)^FROM `).Split(string(content), -1)
	last := stages[len(stages)-1]
	if !strings.Contains(strings.SplitN(last, "\n", 2)[0], "distroless/static") {
		t.Errorf("the last stage is not distroless: %s", strings.SplitN(last, "\n", 2)[0])
	}
	if regexp.MustCompile(`(?m)^(RUN|ADD) `).MatchString(last) {
		t.Error("the last stage runs or fetches something")
	}
	if !regexp.MustCompile(`(?m)^USER [1-9][0-9]*:[1-9][0-9]*$`).MatchString(last) {
		t.Error("the last stage does not run as a number that is not root")
	}
	for _, form := range []string{`ENTRYPOINT ["/usr/local/bin/dw"]`, `CMD ["run", `} {
		if !strings.Contains(last, form) {
			t.Errorf("the last stage lacks %s", form)
		}
	}
	if !strings.Contains(stages[1], "CGO_ENABLED=0") {
		t.Error("the binary is not static, and the last stage has no C library")
	}
}
