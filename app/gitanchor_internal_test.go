package app

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"dw/config"
)

// TestGitAnchorsAtOnce: several that commit checkpoints of one size at the same time,
// each in a repository of its own, do not get into one another's way or tree.
func TestGitAnchorsAtOnce(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC) }
	var all sync.WaitGroup
	for n := range 6 {
		g := gitAnchor{GitAnchor: config.GitAnchor{Dir: filepath.Join(t.TempDir(), "anchors"), Branch: "dw-anchors"}, instance: fmt.Sprintf("dw-%d", n), now: now}
		all.Go(func() {
			if _, err := g.put(t.Context(), 7, []byte("a checkpoint")); err != nil {
				t.Error(err)
				return
			}
			if files, err := g.git(t.Context(), "", nil, "ls-tree", "-r", "--name-only", "dw-anchors"); err != nil || files != g.file(7) {
				t.Errorf("the tree of %s has %q, %v", g.instance, files, err)
			}
		})
	}
	all.Wait()
}
