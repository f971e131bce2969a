package receipts

import (
	"fmt"
	"strings"
)

// Exit codes of a verification, in Report.Code.
const (
	// CodeGood: everything agrees and the signature was checked.
	CodeGood = 0
	// CodeBad: stored bytes, hashes or signature disagree.
	CodeBad = 1
	// CodeUnreadable: something could not be opened or parsed.
	CodeUnreadable = 2
	// CodeTruncated: every receipt present verifies, but a head or checkpoint
	// says that there were more.
	CodeTruncated = 3
	// CodeUnsigned: the hashes are good, but no signature was checked.
	CodeUnsigned = 4
)

// Report is the outcome of a verification.
type Report struct {
	// Code is one of CodeGood, CodeBad, CodeUnreadable, CodeTruncated and
	// CodeUnsigned.
	Code int `json:"code"`
	// Count is how many receipts verified, from the first one on.
	Count int64 `json:"count"`
	// FirstBad is the seq of the first receipt that does not verify, or 0 if
	// none is to blame alone.
	FirstBad int64 `json:"first_bad,omitempty"`
	// Expected and Found are the two values that disagree.
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
	// Problem says in words what is wrong or was not checked; empty if Code is
	// CodeGood.
	Problem string `json:"problem,omitempty"`
	// SignatureChecked is whether the given public key signed the checkpoint.
	SignatureChecked bool `json:"signature_checked"`
	// Signed is how many receipts, from the first on, the checkpoint covers;
	// those after it are chained but not yet signed.
	Signed int64 `json:"signed"`
	// Origin is the checkpoint's "dw/<instance>".
	Origin string `json:"origin,omitempty"`
	// Chain is the chain hash of the last receipt that verified, in hex.
	Chain string `json:"chain,omitempty"`
	// ExportKey is the public key that lies in an export. It proves nothing by
	// itself: whoever rewrote the export could have replaced it too.
	ExportKey string `json:"export_key,omitempty"`
	// Texts is how many free texts came along and are those that the receipts
	// hold the hashes of.
	Texts int `json:"texts,omitempty"`
	// Bundle is the incident that a verified bundle is about; empty for a log.
	Bundle string `json:"bundle,omitempty"`
}

// String returns the report in a few words for people.
func (r Report) String() string {
	var b strings.Builder
	switch r.Code {
	case CodeGood:
		fmt.Fprintf(&b, "good: %d receipts, signature checked", r.Count)
		if r.Signed < r.Count {
			fmt.Fprintf(&b, "; receipts %d to %d came after the checkpoint and are not signed yet", r.Signed+1, r.Count)
		}
		return b.String()
	case CodeBad:
		b.WriteString("BAD: ")
	case CodeUnreadable:
		b.WriteString("cannot read: ")
	case CodeTruncated:
		b.WriteString("TRUNCATED: ")
	case CodeUnsigned:
		fmt.Fprintf(&b, "hashes good: %d receipts, signature not checked: ", r.Count)
	}
	if r.FirstBad > 0 {
		fmt.Fprintf(&b, "receipt %d: ", r.FirstBad)
	}
	b.WriteString(r.Problem)
	if r.Expected != "" || r.Found != "" {
		fmt.Fprintf(&b, " (expected %s, found %s)", r.Expected, r.Found)
	}
	return b.String()
}
