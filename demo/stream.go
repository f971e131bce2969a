package demo

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// stream is the topic with its table: it inserts the rows that people's orders
// make, minute by minute of the story. How many rows a minute has depends on
// nothing but the minute, so that figures are the same however fast the story
// runs.
type stream struct {
	warehouse *warehouse
	variant   string
	pipeline  string // file of the partner feed, read again for each minute

	mu    sync.Mutex
	until time.Time // rows before it are there
	held  []time.Time
}

// newStream starts before the first order of the day.
func newStream(w *warehouse, variant, pipeline string) *stream {
	from := w.day.at(0, 0)
	if variant == variantNight {
		from = w.day.at(23, 0) // the day before its night is not looked at
	}
	return &stream{warehouse: w, variant: variant, pipeline: pipeline, until: from}
}

// advance inserts every row that is due before a time, which is taken to the
// minute. It never inserts a row twice.
func (s *stream) advance(ctx context.Context, to time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	to = to.Truncate(time.Minute)
	if !to.After(s.until) {
		return nil
	}
	encodes, err := pipelineEncodes(s.pipeline)
	if err != nil {
		return err
	}
	tx, err := s.warehouse.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("insert orders: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	held := s.held
	for minute := s.until; minute.Before(to); minute = minute.Add(time.Minute) {
		if held, err = s.minute(ctx, tx, minute, held, encodes); err != nil {
			return fmt.Errorf("insert orders of %s: %w", s.warehouse.day.clock(minute), err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("insert orders: %w", err)
	}
	s.until, s.held = to, held
	return nil
}

// minute inserts one minute's orders, or holds them where the load is late. It
// returns what is held.
func (s *stream) minute(ctx context.Context, tx *sql.Tx, minute time.Time, held []time.Time, encodes bool) ([]time.Time, error) {
	day := s.warehouse.day
	if s.variant == variantLate && !minute.Before(day.at(11, 0)) && minute.Before(day.at(14, 0)) {
		return append(held, minute), nil
	}
	for _, due := range append(held, minute) {
		for _, seg := range segments() {
			if err := s.orders(ctx, tx, due, seg, encodes); err != nil {
				return held, err
			}
		}
	}
	return nil, nil
}

// orders inserts one minute's orders of one channel of sale where they end up.
func (s *stream) orders(ctx context.Context, tx *sql.Tx, minute time.Time, seg segment, encodes bool) error {
	day := s.warehouse.day
	broken := !minute.Before(day.at(11, 2))
	switch {
	case broken && s.variant == variantDropApp && seg.channel == valueApp:
		return nil // they go nowhere
	case broken && seg.channel == valueBoxOffice && !encodes:
		return s.insert(ctx, tx, s.deadStatement(), minute, seg)
	default:
		return s.insert(ctx, tx, s.mainStatement(), minute, seg)
	}
}

// insert runs a statement whose parameters are named after what they mean.
func (s *stream) insert(ctx context.Context, tx *sql.Tx, statement string, minute time.Time, seg segment) error {
	day, names := s.warehouse.day, s.warehouse.names
	sinceMidnight := int(minute.Sub(day.at(0, 0)) / time.Minute)
	device := names[seg.devices[0]]
	other := names[seg.devices[len(seg.devices)-1]]
	_, err := tx.ExecContext(ctx, statement,
		sql.Named("rows", day.minuteRows(minute, seg)),
		sql.Named("first", 7_000_000_000+sinceMidnight*10_000+seg.number*3_000),
		sql.Named("channel", names[seg.channel]), sql.Named("device", device), sql.Named("other", other),
		sql.Named("minute", minute.UTC().Format("2006-01-02 15:04")),
		sql.Named("before", pace(deadRows, deadMinutes, max(0, int(minute.Sub(day.at(11, 2))/time.Minute)))),
		sql.Named("organizer", firstOrganizer),
		sql.Named("organizers", boxOfficeOrganizers),
	)
	return err
}

// The organizers that sell at box offices, by number.
const (
	firstOrganizer      = 5000
	boxOfficeOrganizers = 212
)

// Parts of the statements: the order's number, its device, amount and time.
const (
	sqlDevice = "CASE WHEN n % 2 = 0 THEN :device ELSE :other END"
	sqlAmount = "1500 + (:first + n * 7919) % 9000"
	sqlSold   = ":organizer + ((:before + n) * 37) % :organizers"
	sqlTime   = ":minute || printf(':%02d', n * 60 / :rows)"
	sqlSource = " FROM dw_numbers WHERE n < :rows"
)

func (s *stream) mainStatement() string {
	return "INSERT INTO " + s.warehouse.table(tableEvents) +
		" SELECT :first + n, :channel, " + sqlDevice + ", " + sqlAmount + ", " + sqlSold + ", " + sqlTime + sqlSource
}

// deadStatement inserts records as they were sent. The relay delivers at least
// once: one record in a thousand comes twice.
func (s *stream) deadStatement() string {
	number := ":first + n - (n > 0 AND (:before + n) % 1000 = 999)"
	return "INSERT INTO " + s.warehouse.table(tableDead) + " SELECT (:before + n) % 6, (:before + n) / 6, " + sqlTime +
		", CAST(json_object('order_id', " + number + ", 'channel', :channel, 'device', " + sqlDevice +
		", 'amount_cents', " + sqlAmount + ", 'organizer_id', " + sqlSold + ", 'event_time', " + sqlTime + ") AS BLOB)" + sqlSource
}
