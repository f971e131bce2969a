package checks_test

import (
	"testing"

	"dw/checks"
)

func TestPersonal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"email", "E_MAIL", "customerEmail", "phone_number", "shipAddress", "first_name", "customer name", "IBAN", "client-ip", "card_no", "dob", "api_token"} {
		if !checks.Personal(name) {
			t.Errorf("%s is not taken for personal", name)
		}
	}
	for _, name := range []string{"id", "status", "product_name", "hostname", "name", "shipped_at", "recipient_country", "zipper", "cardinality", "description", ""} {
		if checks.Personal(name) {
			t.Errorf("%s is taken for personal", name)
		}
	}
}
