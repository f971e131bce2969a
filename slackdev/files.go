package slackdev

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"
)

// maxFile is the largest upload; Slack takes a gigabyte, and so much does not
// belong into the memory of a local workspace.
const maxFile = 32 << 20

// File is an uploaded file as a message shows it.
type File struct {
	ID    string `json:"id"` // "F…"
	Name  string `json:"name"`
	Title string `json:"title"`
	Type  string `json:"mimetype"`
	Size  int    `json:"size"` // bytes
}

// upload is a file from the moment its address was asked for.
type upload struct {
	File
	content []byte
	here    bool // the bytes have come
	done    bool // files.completeUploadExternal was called
}

// fileType guesses a media type from the name alone, as it is only shown.
func fileType(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return "application/octet-stream"
	}
	kind, _, err := mime.ParseMediaType(mime.TypeByExtension(name[dot:]))
	if err != nil {
		return "application/octet-stream"
	}
	return kind
}

// serveUpload takes the bytes of a file at the address given for it, as a plain
// body or as the one file of a multipart form. It needs no token. A body of
// another length than was announced is refused.
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	body, err := uploadedBytes(r)
	if err != nil {
		s.journal("upload refused", "error", err.Error())
		http.Error(w, "the body cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	up := s.state.files[s.uploads[r.PathValue("ticket")]]
	switch {
	case up == nil || up.here:
		http.Error(w, "no such upload, or it was used", http.StatusNotFound)
	case len(body) != up.Size:
		http.Error(w, "the body has another length than was announced", http.StatusBadRequest)
	default:
		up.content, up.here = body, true
		s.journal("upload", "file", up.ID, "bytes", len(body))
		io.WriteString(w, "OK - "+up.Name) //nolint:errcheck // the client has gone; nobody is left to tell
	}
}

func uploadedBytes(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxFile+maxBody))
	if err != nil {
		return nil, err
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return body, nil //nolint:nilerr // any other type is a plain body
	}
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			return io.ReadAll(part)
		}
	}
}

// FileContent returns the bytes of an uploaded file, or false when there are none.
func (s *Server) FileContent(id string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	up := s.state.files[id]
	if up == nil || !up.here {
		return nil, false
	}
	return bytes.Clone(up.content), true
}

// serveFile gives the page a file, always to be saved and never to be run.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	content, ok := s.FileContent(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	w.Write(content) //nolint:errcheck // the client has gone; nobody is left to tell
}

// shareLater posts the message of a file after a while, for Slack scans the file
// first: the answer of the upload cannot hold its timestamp. The caller holds mu.
func (s *Server) shareLater(channelID string, m Message) {
	s.goLocked(func() {
		timer := time.NewTimer(s.opts.ShareDelay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if c := s.state.channels[channelID]; c != nil {
			s.post(c, m)
		}
	})
}

// goLocked starts a goroutine that Close waits for. The caller holds mu.
func (s *Server) goLocked(f func()) {
	if s.ctx.Err() == nil {
		s.running.Go(f)
	}
}
