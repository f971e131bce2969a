package slackdev_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"dw/slackdev"

	"github.com/slack-go/slack"
)

// announce asks for an upload address and returns it with the file's id.
func (b *bundle) announce(t *testing.T, name string, length int) (link, id string) {
	t.Helper()
	answer := b.body(t, "files.getUploadURLExternal", []string{"filename", name, "length", strconv.Itoa(length)})
	link, _ = answer["upload_url"].(string)
	id, _ = answer["file_id"].(string)
	if link == "" || id == "" {
		t.Fatalf("%v", answer)
	}
	return link, id
}

func (b *bundle) upload(t *testing.T, link, kind, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, link, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	status, _, _ := do(t, r)
	return status
}

func TestSlackGoUploadsAFile(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.ShareDelay = time.Millisecond })
	root := b.post(t, "text", "root")
	file, err := b.api.UploadFileContext(b.ctx, slack.UploadFileParameters{
		Filename: "rows.csv", FileSize: 4, Reader: strings.NewReader("a,b\n"), Title: "Rows", Channel: open,
		ThreadTimestamp: root, InitialComment: "what is short",
	})
	if err != nil {
		t.Fatal(err)
	}
	var shared slackdev.Message
	err = b.Wait(b.ctx, func(s slackdev.Snapshot) bool {
		m := s.Channel(open).Messages
		shared = m[len(m)-1]
		return len(m) == 2
	})
	if err != nil {
		t.Fatal(err)
	}
	if shared.ThreadTS != root || shared.Text != "what is short" || len(shared.Files) != 1 || shared.Files[0].ID != file.ID ||
		shared.Files[0].Title != "Rows" || shared.Files[0].Type != "text/csv" {
		t.Errorf("shared %+v", shared)
	}
	if content, ok := b.FileContent(file.ID); !ok || string(content) != "a,b\n" {
		t.Errorf("content %q", content)
	}
	_, _, page := b.get(t, at(ann, open, root))
	if !strings.Contains(page, `href="/_dev/file/`+file.ID+`"`) || !strings.Contains(page, "rows.csv, 4 bytes") {
		t.Error("the page does not show the file")
	}
	if a := b.call(t, "files.delete", "file", file.ID); !a.OK {
		t.Errorf("%+v", a)
	}
	if m := b.Messages(open)[1]; len(m.Files) != 0 {
		t.Errorf("after the delete: %+v", m)
	}
	if status, _, _ := b.get(t, "/_dev/file/"+file.ID); status != http.StatusNotFound {
		t.Errorf("a deleted file is served: %d", status)
	}
}

func TestFileOfAnotherLengthIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	link, id := b.announce(t, "a.txt", 3)
	if status := b.upload(t, link, "text/plain", "toolong"); status != http.StatusBadRequest {
		t.Errorf("status %d", status)
	}
	if a := b.call(t, "files.completeUploadExternal", "files", `[{"id":"`+id+`"}]`); a.Error != "file_not_found" {
		t.Errorf("complete without bytes: %+v", a)
	}
	if status := b.upload(t, link, "text/plain", "abc"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if status := b.upload(t, link, "text/plain", "xyz"); status != http.StatusNotFound {
		t.Errorf("an address took two files: %d", status)
	}
	if content, _ := b.FileContent(id); string(content) != "abc" {
		t.Errorf("content %q", content)
	}
}

func TestFileCompletion(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	root := b.post(t, "text", "root")
	reply := b.post(t, "text", "reply", "thread_ts", root)
	cases := map[string]struct {
		args []string
		want string
	}{
		"no files":           {[]string{"files", "[]"}, "invalid_arguments"},
		"unknown file":       {[]string{"files", `[{"id":"F0"}]`}, "file_not_found"},
		"unknown channel":    {[]string{"channel_id", "C0NOWHERE1"}, "invalid_channel"},
		"private channel":    {[]string{"channel_id", secret}, "not_in_channel"},
		"a reply as thread":  {[]string{"channel_id", open, "thread_ts", reply}, "thread_not_found"},
		"one of two unknown": {[]string{"channels", open + ",C0NOWHERE1"}, "invalid_channel"},
		"bad blocks":         {[]string{"channel_id", open, "blocks", `[{"type":"poem"}]`}, "invalid_blocks"},
		"without a channel":  {nil, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			link, id := b.announce(t, "a", 1)
			b.upload(t, link, "application/octet-stream", "a")
			args := append([]string{"files", `[{"id":"` + id + `"}]`}, c.args...)
			if a := b.call(t, "files.completeUploadExternal", args...); a.Error != c.want {
				t.Errorf("error %q, want %q", a.Error, c.want)
			}
			info := b.call(t, "files.info", "file", id)
			if info.OK != (c.want == "") {
				t.Errorf("files.info: %+v", info)
			}
			if c.want == "" {
				if a := b.call(t, "files.completeUploadExternal", args...); a.Error != "file_not_found" {
					t.Errorf("completed twice: %+v", a)
				}
			}
		})
	}
	if n := len(b.Messages(open)); n != 2 {
		t.Errorf("%d messages: a refused completion shared its file", n)
	}
	for _, args := range [][]string{{"length", "3"}, {"filename", "a"}, {"filename", "a", "length", "0"}, {"filename", "a", "length", "99999999"}} {
		if a := b.call(t, "files.getUploadURLExternal", args...); a.Error != "invalid_arguments" {
			t.Errorf("%v: %+v", args, a)
		}
	}
}

// TestFileMessageComesLate: Slack scans the file first, so the answer of the
// completion comes before the message and cannot name it.
func TestFileMessageComesLate(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.ShareDelay = time.Hour })
	link, id := b.announce(t, "a.txt", 1)
	b.upload(t, link, "text/plain", "a")
	answer := b.body(t, "files.completeUploadExternal", []string{"files", `[{"id":"` + id + `"}]`, "channel_id", open})
	if _, there := answer["ts"]; there || answer["ok"] != true {
		t.Errorf("%v", answer)
	}
	if m := b.Messages(open); len(m) != 0 {
		t.Errorf("the message came before the scan: %+v", m)
	}
	if u, err := url.Parse(link); err != nil || u.Hostname() != "127.0.0.1" {
		t.Errorf("upload address %s", link)
	}
}
