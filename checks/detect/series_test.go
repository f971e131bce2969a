package detect

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestReadMeta(t *testing.T) {
	t.Parallel()
	c, err := ReadMeta(strings.NewReader(`{"name":"x","bucket_seconds":1800,"metric":"ratio","holidays":["2026-12-25"],"score_from":"2026-01-01T00:00:00Z","zone":"Europe/Berlin"}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Bucket != 30*time.Minute || c.Metric != Ratio || c.Zone.String() != "Europe/Berlin" ||
		len(c.Holidays) != 1 || c.Holidays[0] != (Date{2026, time.December, 25}) {
		t.Errorf("read %+v", c)
	}
	for _, key := range []string{"windows", "ignore", "labels"} {
		if _, err := ReadMeta(strings.NewReader(`{"bucket_seconds":3600,"` + key + `":[]}`)); !errors.Is(err, ErrLabels) {
			t.Errorf("a file with %s: %v, want ErrLabels", key, err)
		}
	}
	for name, text := range map[string]string{
		"no JSON": "{", "metric": `{"metric":"sum"}`, "zone": `{"zone":"Atlantis"}`, "holiday": `{"holidays":["1 May"]}`,
	} {
		if _, err := ReadMeta(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadSeries(t *testing.T) {
	t.Parallel()
	points, err := ReadSeries(strings.NewReader("timestamp,value\n2026-03-02T00:00:00Z,1.5\n"))
	if err != nil || len(points) != 1 || points[0] != (Point{monday, 1.5}) {
		t.Errorf("read %v, %v", points, err)
	}
	for name, text := range map[string]string{
		"empty": "", "no time": "timestamp,value\nyesterday,1\n", "no number": "timestamp,value\n2026-03-02T00:00:00Z,many\n",
		"three columns": "timestamp,value\n2026-03-02T00:00:00Z,1,2\n",
	} {
		if _, err := ReadSeries(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
