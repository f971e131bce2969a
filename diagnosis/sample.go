package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"dw/checks"
	"dw/lineage"
)

// systemSample is the System of the evidence that SampleProber finds.
const systemSample = "dead letter sample"

// sampleRows is how many dead-letter values are looked at.
const sampleRows = 50

// SampleProber looks at the first byte of some dead-letter values: a value in
// the wire format begins with 0x00. It keeps the byte and never the value.
type SampleProber struct {
	Querier checks.Querier
	Table   string // the dead-letter table
	Column  string // its column with the record's bytes
	Now     func() time.Time
}

var _ Prober = SampleProber{}

// Probe counts the sampled values that begin with the magic byte. A table
// without rows, or one that does not exist yet, has no evidence.
func (p SampleProber) Probe(ctx context.Context, _ lineage.Asset) ([]Evidence, error) {
	table, err := checks.QuoteTable(ctx, p.Querier, p.Table)
	if _, missing := errors.AsType[*checks.MissingTableError](err); missing {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sample %s: %w", p.Table, err)
	}
	column, err := checks.Quote(p.Querier.Dialect(), p.Column)
	if err != nil {
		return nil, fmt.Errorf("sample %s: %w", p.Table, err)
	}
	rows, err := p.Querier.Select(ctx, "SELECT "+column+" FROM "+table+" WHERE "+column+" IS NOT NULL LIMIT "+strconv.Itoa(sampleRows))
	if err != nil {
		return nil, fmt.Errorf("sample %s: %w", p.Table, err)
	}
	seen, framed := 0, 0
	for _, row := range rows.Values {
		first, ok := firstByte(row)
		if !ok {
			continue
		}
		seen++
		if first == 0 {
			framed++
		}
	}
	if seen == 0 {
		return nil, nil
	}
	return []Evidence{{
		System: systemSample, What: "sampled values of " + p.Table + " that begin with the wire format's byte 0x00",
		Value: fmt.Sprintf("%d of %d", framed, seen), At: p.Now(), Source: "the first byte of column " + p.Column + " of " + p.Table,
	}}, nil
}

func firstByte(row []any) (byte, bool) {
	if len(row) == 0 {
		return 0, false
	}
	switch v := row[0].(type) {
	case []byte:
		if len(v) > 0 {
			return v[0], true
		}
	case string:
		if v != "" {
			return v[0], true
		}
	}
	return 0, false
}

// valuesWithoutHeader reads the sample: values that do carry the header went to
// the dead letter for another reason, such as an unknown schema id.
func valuesWithoutHeader(f *facts) finding {
	for _, e := range f.Probes {
		var framed, seen int
		if e.System != systemSample {
			continue
		}
		if _, err := fmt.Sscanf(e.Value, "%d of %d", &framed, &seen); err != nil || seen == 0 {
			continue
		}
		says := fmt.Sprintf("%d of %d sampled dead-letter values begin with the wire format's byte 0x00", framed, seen)
		if 2*framed > seen {
			return finding{is: fails, says: says + ", so they were rejected for another reason"}
		}
		return finding{is: holds, says: says, evidence: []Evidence{e}}
	}
	return finding{says: "first bytes of the dead-letter values not read: a value in the wire format whose schema id is unknown looks the same"}
}
