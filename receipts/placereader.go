package receipts

import "bytes"

// What dw writes around the values of a receipt, in their order.
const (
	formStart     = `{"_type":"` + StatementType + `","predicate":{"actor":{"kind":"`
	formBody      = `"},"at":"`
	formEnd       = `"},"predicateType":"` + PredicateType + `","subject":`
	formIncident  = `,"incident":"`
	formActorName = `","name":"`
	formActorTeam = `","team":"`
	formActorUser = `","user":"`
	formAt        = `","body":`
	formInstance  = `","instance":"`
	formKind      = `","kind":"`
	formProposal  = `","proposal":"`
	formSeq       = `","seq":"`
)

// placeReader is readPlace for the receipts of one log, one after the other. It knows
// the form in which dw writes them, and what the one before said: receipts that follow
// each other differ in little. Whatever it reads in its own way, readPlace reads alike.
type placeReader struct {
	head, middle, end []byte // as in the receipt before: before its time, after its body, after its seq
	instance, kind    []byte // within middle
}

func (r *placeReader) read(b []byte) (place, error) {
	f := form{b: b}
	f.again(&r.head, func() {
		f.literal(formStart)
		f.text(formActorName)
		f.text(formActorTeam)
		f.text(formActorUser)
		f.text(formBody)
	})
	f.text(formAt)
	f.skip()
	f.again(&r.middle, func() {
		f.literal(formIncident)
		f.text(formInstance)
		instance := f.text(formKind)
		kind := f.text(formProposal)
		f.text(formSeq)
		r.instance, r.kind = append(r.instance[:0], instance...), append(r.kind[:0], kind...)
	})
	seq := parseSeq(f.text(formEnd))
	f.again(&r.end, func() {
		f.skip()
		f.literal("}")
	})
	if f.failed || f.at != len(b) {
		return readPlace(b)
	}
	return place{seq: seq, instance: r.instance, kind: r.kind}, nil
}

// form goes over bytes whose keys are known.
type form struct {
	b      []byte
	at     int
	failed bool
}

// text takes a text and what follows it, which begins with the closing quote.
func (f *form) text(then string) []byte {
	if f.failed {
		return nil
	}
	rest, end := f.b[f.at:], 0
	for {
		next := bytes.IndexByte(rest[end:], '"')
		if next < 0 {
			f.failed = true
			return nil
		}
		if end += next; end == 0 || rest[end-1] != '\\' || !escaped(rest[:end]) {
			break
		}
		end++
	}
	if len(rest)-end < len(then) || string(rest[end:end+len(then)]) != then {
		f.failed = true
		return nil
	}
	f.at += end + len(then)
	return rest[:end]
}

// literal takes exactly this.
func (f *form) literal(want string) {
	if rest := f.b[f.at:]; f.failed || len(rest) < len(want) || string(rest[:len(want)]) != want {
		f.failed = true
		return
	}
	f.at += len(want)
}

// skip takes any value.
func (f *form) skip() {
	if f.failed {
		return
	}
	s := scanner{b: f.b, at: f.at}
	f.failed = !s.skip()
	f.at = s.at
}

// again takes what it took before, if the same bytes stand here, or has take do it and
// remembers what that took.
func (f *form) again(before *[]byte, take func()) {
	if f.failed {
		return
	}
	if n := len(*before); n > 0 && bytes.HasPrefix(f.b[f.at:], *before) {
		f.at += n
		return
	}
	start := f.at
	take()
	*before = append((*before)[:0], f.b[start:f.at]...)
	if f.failed {
		*before = (*before)[:0]
	}
}
