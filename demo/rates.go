package demo

import (
	"math/rand/v2"
	"time"
)

// onSaleRows is how many orders an on-sale hour usually has.
const onSaleRows = 38_300

// Shares of the channels of sale in permille of all orders.
const (
	shareWeb       = 420
	shareApp       = 260
	shareBoxOffice = 320
)

// segment is one channel of sale with the devices that its orders come from.
type segment struct {
	number  int // makes order numbers unique
	share   int // permille
	channel string
	devices []string
}

func segments() []segment {
	return []segment{
		{0, shareWeb, valueWeb, []string{valueDesktop, valueMobile}},
		{1, shareApp, valueApp, []string{valueIOS, valueAndroid}},
		{2, shareBoxOffice, valueBoxOffice, []string{valueCounter}},
	}
}

// Hours of the on-sale, by the wall clock.
const (
	onSaleFrom = 11
	onSaleTo   = 14
)

// hourRows is how many orders of a segment an hour usually has: an on-sale
// Tuesday is large, every other hour small.
func hourRows(hour time.Time, s segment) int {
	h, day := hour.Hour(), hour.Weekday()
	if day == time.Tuesday && h >= onSaleFrom && h < onSaleTo {
		return onSaleRows * s.share / 1000
	}
	total := 90 + 25*int(day) // Sunday is quiet
	switch {
	case h < 6:
		total /= 3
	case h >= 17 && h < 22:
		total *= 2
	}
	return total * s.share / 1000
}

// noisy spreads a count by up to two percent, the same for each run.
func noisy(count int, random *rand.Rand) int {
	return count + int(float64(count)*0.02*(2*random.Float64()-1))
}

// The dead letter of the story: so many rows in so many minutes. The rows of
// the box office keep this pace for the rest of the day.
const (
	deadRows    = 18_940
	deadMinutes = 93 // 11:02 to 12:35
)

// pace spreads rows over minutes: how many have come after n minutes.
func pace(rows, minutes, n int) int { return rows * n / minutes }

// minuteRows is how many orders of a segment come in one minute of the day.
func (d storyDay) minuteRows(minute time.Time, s segment) int {
	minute = minute.In(d.zone)
	if since := minute.Sub(d.at(11, 2)); s.channel == valueBoxOffice && since >= 0 && minute.Hour() < onSaleTo {
		n := int(since / time.Minute)
		return pace(deadRows, deadMinutes, n+1) - pace(deadRows, deadMinutes, n)
	}
	rows, m := hourRows(minute.Truncate(time.Hour).In(d.zone), s), minute.Minute()
	return pace(rows, 60, m+1) - pace(rows, 60, m)
}
