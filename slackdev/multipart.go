package slackdev

import (
	"bytes"
	"maps"
	"mime/multipart"
)

// readMultipart takes the fields of a multipart form; files are refused, for no
// method here takes one.
func (c *call) readMultipart(body []byte, boundary string) *refusal {
	form, err := multipart.NewReader(bytes.NewReader(body), boundary).ReadForm(maxBody)
	if err != nil || len(form.File) > 0 {
		return refuse("invalid_form_data")
	}
	maps.Copy(c.form, form.Value)
	return nil
}
