package store

import (
	"io/fs"
	"slices"
	"testing"
)

// Every migration and every query stands there for both kinds of database; what
// one alone needs is named here.
func TestBothDialectsAreComplete(t *testing.T) {
	t.Parallel()
	if lite, pg := files(t, "migrations/sqlite"), files(t, "migrations/postgres"); !slices.Equal(lite, pg) {
		t.Errorf("migrations differ:\n%v\n%v", lite, pg)
	}
	lite, err1 := loadQueries(queryFiles, "queries/sqlite")
	pg, err2 := loadQueries(queryFiles, "queries/postgres")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	liteAlone := []string{"savepoint_release", "savepoint_set", "savepoint_undo"}
	for name := range lite {
		if _, ok := pg[name]; !ok && !slices.Contains(liteAlone, name) {
			t.Errorf("query %s is missing in queries/postgres", name)
		}
	}
	alone := []string{"claim_free", "claim_take", "head_lock", "migration_lock", "migration_unlock", "server_facts", "update_status"}
	for name := range pg {
		if _, ok := lite[name]; !ok && !slices.Contains(alone, name) {
			t.Errorf("query %s is missing in queries/sqlite", name)
		}
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	entries, err := fs.ReadDir(migrations, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
