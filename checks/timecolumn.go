package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// timeColumn is a column of times of which the format is known, so that ranges
// can be asked for on the raw column with bound values.
type timeColumn struct {
	quoted  string
	format  string // a Format constant, empty where the table holds no time at all
	dialect string
	text    bool // PostgreSQL: the column is text
	date    bool // PostgreSQL: the column holds days without a time of day
}

// timeColumn returns a column of the table whose format is what was declared.
func (t target) timeColumn(name, declared string) (timeColumn, error) {
	column, err := t.describe(name)
	if err != nil {
		return timeColumn{}, err
	}
	quoted, err := Quote(t.dialect, column.Name)
	return timeColumn{
		quoted: quoted, format: declared, dialect: t.dialect,
		text: postgresText(t.dialect, column.Type), date: isDate(t.dialect, column.Type),
	}, err
}

// sorted returns the column such that it orders as its times do: PostgreSQL
// sorts text by the language of the database, which may overlook T, Z and dots.
func (c timeColumn) sorted() string {
	if c.text {
		return c.quoted + ` COLLATE "C"`
	}
	return c.quoted
}

// extent is what a table's time column spans, whatever the check's condition.
type extent struct {
	column timeColumn
	clock  clock
	first  time.Time // zero where no row has a time
	last   time.Time // newest at or before now
	future time.Time // newest of all where that lies after now, else zero
}

// empty reports whether the table holds no row with a time up to now.
func (e extent) empty() bool { return e.last.IsZero() }

// measureExtent reads the first and the newest time of a column, finds the
// format, and refuses one that does not match the format declared, or a column
// that holds two.
func measureExtent(ctx context.Context, q Querier, t target, column, declared, zone string, now time.Time) (extent, error) {
	c, err := t.timeColumn(column, declared)
	if err != nil {
		return extent{}, err
	}
	e := extent{column: c}
	if e.clock, err = newClock(c.date, zone, now); err != nil {
		return extent{}, err
	}
	row, err := askOne(ctx, q, extentStatement(t, c), 2)
	if err != nil {
		return extent{}, err
	}
	if row[1] == nil {
		return e, nil
	}
	if e.column.format, e.last, err = readTime(row[1], declared); err != nil {
		return extent{}, fmt.Errorf("read the newest time in column %s of %s: %w", column, t.name, err)
	}
	if _, e.first, err = readTime(row[0], e.column.format); err != nil {
		return extent{}, fmt.Errorf("read the first time in column %s of %s: %w", column, t.name, err)
	}
	if e.last.After(e.clock.now) {
		e.future = e.last
		e.last, err = e.column.newestUntil(ctx, q, t, "", e.clock.now)
	}
	return e, err
}

// extentStatement asks for both ends apart: an index answers each at once, but
// not the two together.
func extentStatement(t target, c timeColumn) *statement {
	s := (&statement{dialect: t.dialect}).add(
		"SELECT (SELECT min(", c.sorted(), ") FROM ", t.quoted, "), (SELECT max(", c.sorted(), ") FROM ", t.quoted, ")")
	ends := over(t, filter{}, text("min(", c.sorted(), ")"), text("max(", c.sorted(), ")"))
	ends.rides = true
	s.parts = &ends
	return s
}

// newestUntil returns the newest time at or before now of the rows that meet a
// condition, zero where there is none.
func (c timeColumn) newestUntil(ctx context.Context, q Querier, t target, where string, now time.Time) (time.Time, error) {
	row, err := askOne(ctx, q, c.newestStatement(t, where, now), 1)
	if err != nil || row[0] == nil {
		return time.Time{}, err
	}
	_, newest, err := readTime(row[0], c.format)
	return newest, err
}

// newestStatement asks for the newest time up to now under a condition.
func (c timeColumn) newestStatement(t target, where string, now time.Time) *statement {
	return (&statement{dialect: t.dialect}).
		add("SELECT max(", c.sorted(), ") FROM ", t.quoted, " WHERE ", c.sorted(), " < ").
		instant(c, c.bound(nextSecond(now))).condition("AND", where)
}

// nextSecond is the first whole second after t.
func nextSecond(t time.Time) time.Time { return t.Truncate(time.Second).Add(time.Second) }

// bound returns the value that stands for t in "column >= value" and
// "column < value". Text carries no zone: "…T11:00:00" sorts before both
// "…T11:00:00Z" and "…T11:00:00.5Z".
func (c timeColumn) bound(t time.Time) any {
	switch c.format {
	case FormatRFC3339:
		return t.UTC().Format("2006-01-02T15:04:05.999999999")
	case FormatDatetime:
		return t.UTC().Format("2006-01-02 15:04:05.999999999")
	case FormatUnix:
		return t.Unix()
	}
	return t.UTC()
}

// instant appends a placeholder for a value of bound or after. PostgreSQL would
// give it the type of the column otherwise, and so cut the time off a day: with
// its own type it compares with each of date, timestamp and timestamptz, by an
// index too, in the time zone of the session.
func (s *statement) instant(c timeColumn, value any) *statement {
	if c.dialect != DialectPostgres || c.text {
		return s.bind(value)
	}
	typ := "timestamptz"
	if c.format == FormatUnix {
		typ = "bigint"
	}
	return s.add("CAST(").bind(value).add(" AS ", typ, ")")
}

// after returns the value that stands for t in "column > value". Text carries Z,
// which sorts after every other way to write the same time.
func (c timeColumn) after(t time.Time) any {
	if text, ok := c.bound(t).(string); ok {
		return text + "Z"
	}
	return c.bound(t)
}

// readTime reads a stored time and names its format; declared may be empty. It
// is an error where the value is of another format or not in UTC.
func readTime(value any, declared string) (format string, t time.Time, err error) {
	switch v := value.(type) {
	case time.Time:
		format, t = FormatNative, v.UTC()
	case int64:
		format, t = FormatUnix, time.Unix(v, 0).UTC()
		if v > 1e11 || v < -1e11 {
			return "", time.Time{}, fmt.Errorf("%d is not in seconds since 1970; name a column that is", v)
		}
	case float64:
		return readTime(int64(v), declared)
	case []byte:
		return readTime(string(v), declared)
	case string:
		if format, t, err = readTimeText(v); err != nil {
			return "", time.Time{}, err
		}
	default:
		return "", time.Time{}, fmt.Errorf("a %T is not a time", value)
	}
	if declared != "" && declared != format {
		return "", time.Time{}, fmt.Errorf("it holds %s, which is %s; set time_format to that instead of %s", toText(value), format, declared)
	}
	return format, t, nil
}

// readTimeText reads a time written as text.
func readTimeText(text string) (format string, t time.Time, err error) {
	format = FormatRFC3339
	plain, other := "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00"
	if len(text) > 10 && text[10] == ' ' {
		format = FormatDatetime
		plain, other = "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00"
	}
	t, err = time.Parse(plain, text)
	if err != nil {
		t, err = time.Parse(other, text)
	}
	if err != nil {
		return "", time.Time{}, fmt.Errorf("%q is neither 2006-01-02T15:04:05Z nor 2006-01-02 15:04:05", toText(text))
	}
	if _, offset := t.Zone(); offset != 0 {
		return "", time.Time{}, fmt.Errorf("%q is not in UTC, so times cannot be compared as text; name a column that is", text)
	}
	return format, t.UTC(), nil
}

// atom returns the expression that numbers the spans of a time column, an hour
// long or a quarter of one, for use in SELECT and GROUP BY alone. In WHERE it
// would keep the database from using an index or a partition.
func (c timeColumn) atom(quarters bool) string {
	seconds := "3600"
	if quarters {
		seconds = "900"
	}
	switch {
	case c.format == FormatUnix && c.dialect == DialectPostgres:
		return "CAST(floor(" + c.quoted + " / " + seconds + ".0) AS bigint)"
	case c.format == FormatUnix:
		return "CAST(" + c.quoted + " AS INTEGER) / " + seconds
	case c.format == FormatNative:
		return "CAST(floor(extract(epoch FROM " + c.quoted + ") / " + seconds + ") AS bigint)"
	case quarters:
		return "substr(" + c.quoted + ", 1, 14) || (CAST(substr(" + c.quoted + ", 15, 2) AS INTEGER) / 15)"
	}
	return "substr(" + c.quoted + ", 1, 13)"
}

// readAtom returns the start of a span that atom has numbered.
func (c timeColumn) readAtom(value any, quarters bool) (time.Time, error) {
	length := time.Hour
	if quarters {
		length = 15 * time.Minute
	}
	if number, ok := value.(int64); ok {
		return time.Unix(0, 0).UTC().Add(time.Duration(number) * length), nil
	}
	text, ok := value.(string)
	if !ok || len(text) < 13 {
		return time.Time{}, fmt.Errorf("%s is not an hour", toText(value))
	}
	hour, err := time.Parse("2006-01-02 15", strings.Replace(text[:13], "T", " ", 1))
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not an hour", text)
	}
	if !quarters {
		return hour, nil
	}
	if len(text) != 15 || text[14] < '0' || text[14] > '3' {
		return time.Time{}, errors.New("a quarter of an hour was expected, not " + toText(value))
	}
	return hour.Add(time.Duration(text[14]-'0') * length), nil
}
