package detect

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Meta describes a series in a file, as a bench hands it out.
type Meta struct {
	Name          string   `json:"name"`
	BucketSeconds int      `json:"bucket_seconds"`
	Metric        string   `json:"metric"` // count or ratio
	Holidays      []string `json:"holidays"`
	Zone          string   `json:"zone"` // IANA name, empty is UTC
}

// ErrLabels is returned for a Meta file that tells where the faults are: a
// detector that has seen them is not measured.
var ErrLabels = errors.New("the file says where the faults are; a detector must not be told")

// ReadMeta reads a Meta file. It returns ErrLabels where the file holds fault
// windows or spans to be ignored.
func ReadMeta(r io.Reader) (Config, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Config{}, fmt.Errorf("read the description of the series: %w", err)
	}
	var keys map[string]json.RawMessage
	var m Meta
	if err := errors.Join(json.Unmarshal(text, &keys), json.Unmarshal(text, &m)); err != nil {
		return Config{}, fmt.Errorf("read the description of the series: %w", err)
	}
	for _, key := range []string{"windows", "ignore", "labels"} {
		if _, told := keys[key]; told {
			return Config{}, fmt.Errorf("key %s: %w", key, ErrLabels)
		}
	}
	return m.config()
}

// config turns a Meta into what a detector is told.
func (m Meta) config() (Config, error) {
	c := Config{Bucket: time.Duration(m.BucketSeconds) * time.Second}
	switch m.Metric {
	case "", "count":
	case "ratio":
		c.Metric = Ratio
	default:
		return Config{}, fmt.Errorf("metric %q is neither count nor ratio", m.Metric)
	}
	zone, err := time.LoadLocation(m.Zone)
	if err != nil {
		return Config{}, fmt.Errorf("zone of the series: %w", err)
	}
	c.Zone = zone
	for _, text := range m.Holidays {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return Config{}, fmt.Errorf("holiday %q: %w", text, err)
		}
		c.Holidays = append(c.Holidays, DateOf(at, time.UTC))
	}
	return c, nil
}

// Point is one bucket of a series: its start and what it holds.
type Point struct {
	Start time.Time
	Value float64
}

// ReadSeries reads timestamp,value rows under a header; times are RFC 3339.
func ReadSeries(r io.Reader) ([]Point, error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = 2
	if _, err := rows.Read(); err != nil {
		return nil, fmt.Errorf("read the header timestamp,value: %w", err)
	}
	var points []Point
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return points, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the series: %w", err)
		}
		p, err := pointOf(row)
		if err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		points = append(points, p)
	}
}

func pointOf(row []string) (Point, error) {
	start, err := time.Parse(time.RFC3339, row[0])
	if err != nil {
		return Point{}, fmt.Errorf("timestamp: %w", err)
	}
	value, err := strconv.ParseFloat(row[1], 64)
	if err != nil {
		return Point{}, fmt.Errorf("value: %w", err)
	}
	return Point{start, value}, nil
}

// Judge runs a new detector over a series and returns a verdict on each bucket,
// each given by the buckets up to its own.
func Judge(c Config, points []Point) ([]Verdict, error) {
	d, err := New(c)
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, 0, len(points))
	for _, p := range points {
		v, err := d.Observe(p.Start, p.Value)
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, v)
	}
	if n := len(verdicts); n > 0 {
		verdicts[n-1].Low, verdicts[n-1].High = d.Range()
	}
	return verdicts, nil
}
