package signals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"dw/intake"
)

// The tools whose payloads are known.
const (
	Airflow           = "airflow"
	Alertmanager      = "alertmanager"
	Dagster           = "dagster"
	Datadog           = "datadog"
	DBT               = "dbt"
	Elementary        = "elementary"
	GreatExpectations = "great_expectations"
	MonteCarlo        = "monte_carlo"
	Soda              = "soda"
)

// tool is how one tool is shown and read.
type tool struct {
	name   string
	title  string
	decode func([]byte) ([]Signal, error)
	signed *intake.Signature // nil: the tool does not sign in a way of its own
}

func tools() []tool {
	return []tool{
		{Airflow, "Airflow", decodeAirflow, nil},
		{Alertmanager, "Prometheus", decodeAlertmanager, nil},
		{Dagster, "Dagster", decodeDagster, nil},
		{Datadog, "Datadog", decodeDatadog, nil},
		{DBT, "dbt", decodeDBT, nil},
		{Elementary, "Elementary", decodeElementary, nil},
		{GreatExpectations, "Great Expectations", decodeExpectations, nil},
		{MonteCarlo, "Monte Carlo", decodeMonteCarlo, &intake.Signature{Header: MonteCarloHeader, Genuine: monteCarloGenuine}},
		{Soda, "Soda", decodeSoda, nil},
	}
}

func toolOf(name string) (tool, bool) {
	all := tools()
	i := slices.IndexFunc(all, func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return all[i], true
}

// Tools returns the names of the tools whose payloads are known, in order.
func Tools() []string {
	var names []string
	for _, t := range tools() {
		names = append(names, t.name)
	}
	return names
}

// Title returns what people call a tool, and the name itself for an unknown one.
func Title(name string) string {
	if t, ok := toolOf(name); ok {
		return t.title
	}
	return name
}

// ErrTool says that a tool's name is not one of Tools.
var ErrTool = errors.New("no such tool")

// Decode reads one payload of a tool. Keys that are not needed may be anything;
// what is needed and missing is an error that names it, and then no signal is
// returned.
func Decode(name string, body []byte) ([]Signal, error) {
	t, ok := toolOf(name)
	if !ok {
		return nil, fmt.Errorf("%w: %q; there are %s", ErrTool, name, strings.Join(Tools(), ", "))
	}
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, errors.New("the body is empty")
	case !utf8.Valid(body):
		return nil, errors.New("the body is not UTF-8")
	}
	found, err := t.decode(body)
	if err != nil {
		return nil, fmt.Errorf("not what %s sends: %w", t.title, err)
	}
	if len(found) > MaxSignals {
		return nil, fmt.Errorf("%d results at once, at most %d", len(found), MaxSignals)
	}
	for i := range found {
		if found[i], err = found[i].checked(); err != nil {
			return nil, fmt.Errorf("not what %s sends: result %d: %w", t.title, i+1, err)
		}
	}
	return found, nil
}

// read decodes exactly one JSON value; unknown keys are passed over, since tools
// add some with every version.
func read(body []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(out); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// digest is the run of a payload that carries no id of its own: the same bytes
// are the same statement.
func digest(body []byte) string { return Signal{Check: string(body)}.Event("") }
