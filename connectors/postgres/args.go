package postgres

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"
)

// The types of PostgreSQL that are read or bound as more than text, by their
// numbers in pg_type.dat, which never change.
const (
	typeInferred  = 0
	typeBool      = 16
	typeBytes     = 17
	typeInt8      = 20
	typeInt2      = 21
	typeInt4      = 23
	typeOID       = 26
	typeFloat4    = 700
	typeFloat8    = 701
	typeDate      = 1082
	typeTimestamp = 1114
	typeTimeTZ    = 1184
	typeNumeric   = 1700
)

// encode writes bound values as text with their types. A time is always one with
// a zone, also where it is compared with a date or a timestamp without: the
// session's zone is UTC, so nothing is cut off. A fraction is numeric, which
// every number can be compared with. The type of whole numbers and text is left
// to what they stand beside.
func encode(args []any) (values [][]byte, types []uint32, err error) {
	values, types = make([][]byte, len(args)), make([]uint32, len(args))
	for i, arg := range args {
		text, of, err := encodeOne(arg)
		if err != nil {
			return nil, nil, fmt.Errorf("bind value %d: %w", i+1, err)
		}
		types[i] = of
		if arg != nil {
			values[i] = []byte(text)
		}
	}
	return values, types, nil
}

func encodeOne(arg any) (text string, of uint32, err error) {
	switch v := arg.(type) {
	case nil:
		return "", typeInferred, nil
	case string:
		return v, typeInferred, nil
	case int64:
		return strconv.FormatInt(v, 10), typeInferred, nil
	case int:
		return strconv.Itoa(v), typeInferred, nil
	case float64:
		if math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64), typeFloat8, nil
		}
		return strconv.FormatFloat(v, 'f', -1, 64), typeNumeric, nil
	case bool:
		return strconv.FormatBool(v), typeBool, nil
	case []byte:
		return `\x` + hex.EncodeToString(v), typeBytes, nil
	case time.Time:
		return v.UTC().Format("2006-01-02T15:04:05.999999999Z"), typeTimeTZ, nil
	}
	return "", 0, fmt.Errorf("a %T cannot be bound", arg)
}
