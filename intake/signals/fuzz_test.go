package signals

import (
	"testing"
	"unicode/utf8"
)

// fuzz decodes whatever comes: it ends with signals that are fit to be shown, or
// with an error and none.
func fuzz(f *testing.F, tool string) {
	f.Helper()
	for _, path := range payloads(f) {
		if toolOfFile(f, path) == tool {
			f.Add(readFile(f, path))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		found, err := Decode(tool, body)
		if err != nil && found != nil {
			t.Fatal("signals beside an error")
		}
		for _, s := range found {
			if s.Check == "" || s.Status == "" || s.Message == "" || len(s.Check) > maxName || len(s.Message) > maxText || !utf8.ValidString(s.Check+s.Message) {
				t.Fatalf("%+v", s)
			}
		}
	})
}

func FuzzAirflow(f *testing.F)           { fuzz(f, Airflow) }
func FuzzAlertmanager(f *testing.F)      { fuzz(f, Alertmanager) }
func FuzzDagster(f *testing.F)           { fuzz(f, Dagster) }
func FuzzDatadog(f *testing.F)           { fuzz(f, Datadog) }
func FuzzDBT(f *testing.F)               { fuzz(f, DBT) }
func FuzzElementary(f *testing.F)        { fuzz(f, Elementary) }
func FuzzGreatExpectations(f *testing.F) { fuzz(f, GreatExpectations) }
func FuzzMonteCarlo(f *testing.F)        { fuzz(f, MonteCarlo) }
func FuzzSoda(f *testing.F)              { fuzz(f, Soda) }

// FuzzMonteCarloSignature: a signature holds for its own body and key alone.
func FuzzMonteCarloSignature(f *testing.F) {
	f.Add(readFile(f, "testdata/monte_carlo_created.json"), "key-of-sixteen-chars")
	f.Fuzz(func(t *testing.T, body []byte, key string) {
		sent, err := SignMonteCarlo(key, body)
		if err != nil {
			return
		}
		if !monteCarloGenuine(key, body, sent) || monteCarloGenuine(key+"x", body, sent) {
			t.Fatal("the signature does not tell keys apart")
		}
	})
}
