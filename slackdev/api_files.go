package slackdev

import (
	"encoding/json"
	"strconv"
	"strings"
)

// uploadURL is files.getUploadURLExternal: an address for the bytes of one file.
func (s *Server) uploadURL(c *call) (reply, *refusal) {
	name := c.str("filename")
	length, err := strconv.Atoi(c.str("length"))
	var wrong []string
	if name == "" {
		wrong = append(wrong, "missing required field: filename")
	}
	if err != nil || length < 1 {
		wrong = append(wrong, "`length` must be a number of bytes greater than 0")
	}
	if length > maxFile {
		wrong = append(wrong, "slackdev keeps files of up to 32 MB only")
	}
	if len(wrong) > 0 {
		return nil, refuse("invalid_arguments", wrong...)
	}
	up := &upload{File: File{ID: s.id("F"), Name: name, Title: name, Type: fileType(name), Size: length}}
	ticket := s.opts.NewID()
	s.state.files[up.ID], s.uploads[ticket] = up, up.ID
	return reply{"upload_url": s.URL() + "/upload/v1/" + ticket, "file_id": up.ID}, nil
}

// completeUpload is files.completeUploadExternal: without a channel the file
// stays private; with one its message follows later.
func (s *Server) completeUpload(c *call) (reply, *refusal) {
	files, refused := s.uploaded(c)
	if refused != nil {
		return nil, refused
	}
	ids := strings.FieldsFunc(c.str("channel_id")+","+c.str("channels"), func(r rune) bool { return r == ',' })
	if len(ids) > 100 {
		return nil, refuse("invalid_arguments", "no more than 100 channels allowed")
	}
	text, blocks, refused := s.shareText(c)
	if refused != nil {
		return nil, refused
	}
	places, refused := s.sharePlaces(ids, c.str("thread_ts"))
	if refused != nil {
		return nil, refused
	}
	wired := make([]map[string]any, 0, len(files))
	shown := make([]File, 0, len(files))
	for _, up := range files {
		up.done = true
		shown = append(shown, up.File)
		wired = append(wired, s.wireFile(up.File))
	}
	for _, ch := range places {
		s.shareLater(ch.ID, Message{
			User: s.ws.BotUserID, BotID: s.ws.BotID, Text: text, Blocks: blocks, ThreadTS: c.str("thread_ts"), Files: shown,
		})
	}
	return reply{"files": wired}, nil
}

// shareText is what stands above the file; a comment makes Slack ignore blocks.
func (s *Server) shareText(c *call) (string, json.RawMessage, *refusal) {
	if comment := c.str("initial_comment"); comment != "" {
		return comment, nil, nil
	}
	blocks, refused := s.messageBlocks(c.raw("blocks"))
	return "", blocks, refused
}

func (s *Server) sharePlaces(ids []string, thread string) ([]*channel, *refusal) {
	var places []*channel
	for _, id := range ids {
		ch, refused := s.target(id, true)
		if refused != nil && refused.code == "channel_not_found" {
			return nil, refuse("invalid_channel")
		}
		if refused == nil {
			refused = threadRoot(ch, thread)
		}
		if refused != nil {
			return nil, refused
		}
		places = append(places, ch)
	}
	return places, nil
}

// uploaded finds the files that a call completes; each must have its bytes and
// can be completed once. Titles given are taken over.
func (s *Server) uploaded(c *call) ([]*upload, *refusal) {
	var given []struct{ ID, Title string }
	if err := json.Unmarshal(c.raw("files"), &given); err != nil || len(given) == 0 {
		return nil, refuse("invalid_arguments", "`files` must be an array of objects with an id")
	}
	found := make([]*upload, 0, len(given))
	for _, f := range given {
		up := s.state.files[f.ID]
		if up == nil || !up.here || up.done {
			return nil, refuse("file_not_found")
		}
		if f.Title != "" {
			up.Title = f.Title
		}
		found = append(found, up)
	}
	return found, nil
}

func (s *Server) fileInfo(c *call) (reply, *refusal) {
	up := s.state.files[c.str("file")]
	if up == nil || !up.done {
		return nil, refuse("file_not_found")
	}
	return reply{"file": s.wireFile(up.File), "comments": []any{}}, nil
}

// deleteFile removes a file and takes it off the messages that show it.
func (s *Server) deleteFile(c *call) (reply, *refusal) {
	id := c.str("file")
	if up := s.state.files[id]; up == nil || !up.done {
		return nil, refuse("file_not_found")
	}
	delete(s.state.files, id)
	for _, ch := range s.state.channels {
		for i := range ch.messages {
			ch.messages[i].Files = withoutFile(ch.messages[i].Files, id)
		}
	}
	s.touch()
	return nil, nil
}

func withoutFile(files []File, id string) []File {
	var kept []File
	for _, f := range files {
		if f.ID != id {
			kept = append(kept, f)
		}
	}
	return kept
}

func (s *Server) wireFile(f File) map[string]any {
	return map[string]any{
		"id": f.ID, "name": f.Name, "title": f.Title, "mimetype": f.Type, "size": f.Size, "user": s.ws.BotUserID,
		"mode": "hosted", "is_external": false, "url_private": s.URL() + "/_dev/file/" + f.ID,
		"permalink": "https://" + s.ws.Domain + ".slack.com/files/" + s.ws.BotUserID + "/" + f.ID,
	}
}
