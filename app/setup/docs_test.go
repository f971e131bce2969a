package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/bot"
)

// TestScopesAreDocumented: the page for the person who makes the app lists the
// scopes that the manifest asks for, and no others.
func TestScopesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "slack-setup.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## The scopes, and why")
	table, _, _ = strings.Cut(table, "## ")
	for _, scope := range bot.Scopes() {
		if !strings.Contains(table, "\n| `"+scope.Name+"` |") {
			t.Errorf("the page does not say why dw asks for %s", scope.Name)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(bot.Scopes()) {
		t.Errorf("the page lists %d scopes, dw asks for %d", rows, len(bot.Scopes()))
	}
}
