package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dw/bot"
	"dw/receipts"
	"dw/workflows"
)

// The kinds of effect that put a checkpoint where dw cannot change it.
const (
	effectAnchorSlack = "anchor.slack"
	effectAnchorGit   = "anchor.git"
)

// anchorOrder is the payload of an anchor's effect.
type anchorOrder struct {
	Size int64  `json:"size"`
	Note string `json:"note"`
}

// anchors queues, makes and records anchors of the log.
type anchors struct {
	app *App
	git *gitAnchor // nil: none is configured
}

func newAnchors(a *App) *anchors {
	c := a.project.Config
	k := &anchors{app: a}
	if g := c.Receipts.Anchors.Git; g != nil {
		k.git = &gitAnchor{GitAnchor: *g, instance: c.Instance, now: a.project.Now}
	}
	return k
}

// keep queues an anchor now and then, if the log grew.
func (k *anchors) keep(ctx context.Context) error {
	if !k.app.project.Config.Receipts.Anchors.Any() {
		<-ctx.Done()
		return nil
	}
	ticks := time.NewTicker(k.app.project.Config.Receipts.Anchors.Every.Or(time.Hour))
	defer ticks.Stop()
	for {
		if err := k.queue(ctx); err != nil && ctx.Err() == nil {
			k.app.log.Error("the receipts could not be anchored", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// queue orders an anchor of the newest checkpoint, unless nothing but anchors came
// since the last: an anchor is a receipt, and would ask for the next.
func (k *anchors) queue(ctx context.Context) error {
	return k.app.store.Update(ctx, func(tx workflows.Tx) error {
		note, err := tx.Checkpoint(ctx)
		if err != nil || note == nil {
			return err
		}
		signed, err := receipts.OpenCheckpoint(note, "")
		if err != nil {
			return fmt.Errorf("read the newest checkpoint: %w", err)
		}
		if grew, err := k.grew(ctx, tx, signed.Size); err != nil || !grew {
			return err
		}
		payload, err := json.Marshal(anchorOrder{Size: signed.Size, Note: string(note)})
		if err != nil {
			return fmt.Errorf("encode an anchor: %w", err)
		}
		for kind, wanted := range map[string]bool{
			effectAnchorSlack: k.app.project.Config.Receipts.Anchors.SlackChannel != "", effectAnchorGit: k.git != nil,
		} {
			if !wanted {
				continue
			}
			if err := tx.Enqueue(ctx, workflows.Effect{Kind: kind, Key: fmt.Sprintf("%s/%d", kind, signed.Size), Payload: payload}); err != nil {
				return err
			}
		}
		return nil
	})
}

// grew reports whether a receipt other than an anchor's was signed after the newest
// anchor.
func (k *anchors) grew(ctx context.Context, tx workflows.ReceiptReads, size int64) (bool, error) {
	var last, other int64
	for entry, err := range entries(ctx, tx) {
		if err != nil {
			return false, err
		}
		if entry.Seq > size {
			break
		}
		row, err := receiptRow(entry)
		switch {
		case err != nil:
			return false, err
		case row.Kind == receipts.KindAnchorPosted:
			last = max(last, anchoredSize(entry))
		default:
			other = entry.Seq
		}
	}
	return other > last, nil
}

// anchoredSize is how many receipts the anchor that a receipt tells of covers.
func anchoredSize(entry receipts.Entry) int64 {
	statement, err := receipts.Decode(entry.Bytes)
	if err != nil {
		return 0
	}
	predicate, _ := statement["predicate"].(receipts.Object)
	body, _ := predicate["body"].(receipts.Object)
	text, _ := body["size"].(string)
	var size int64
	_, _ = fmt.Sscan(text, &size) // 0 where it is no number
	return size
}

// Deliver meets jobs.Deliverer.
func (k *anchors) Deliver(ctx context.Context, e workflows.Effect) error {
	var o anchorOrder
	if err := json.Unmarshal(e.Payload, &o); err != nil {
		return fmt.Errorf("read the payload of effect %s: %w", e.Key, err)
	}
	body := receipts.Object{"size": o.Size, "checkpoint": o.Note}
	var err error
	switch e.Kind {
	case effectAnchorSlack:
		body["where"], body["channel"] = "slack", k.app.project.Config.Receipts.Anchors.SlackChannel
		body["id"], err = k.post(ctx, e.Key, o)
	case effectAnchorGit:
		if k.git == nil {
			return errors.New("receipts.anchors.git is not in dw's configuration any more")
		}
		body["where"], body["branch"], body["remote"] = "git", k.git.Branch, k.git.Remote
		body["id"], err = k.git.put(ctx, o.Size, []byte(o.Note))
	default:
		err = fmt.Errorf("effect %s is no anchor", e.Kind)
	}
	if err != nil {
		return fmt.Errorf("anchor %d receipts: %w", o.Size, err)
	}
	return errors.Join(k.record(ctx, o, body), k.remember(o))
}

// post sends the checkpoint to the channel, or finds the message of an attempt that
// died before it was recorded.
func (k *anchors) post(ctx context.Context, key string, o anchorOrder) (string, error) {
	channel := k.app.project.Config.Receipts.Anchors.SlackChannel
	ts, found, err := k.app.client.FindByKey(ctx, channel, key, "", time.Now().Add(-24*time.Hour))
	if noHistory, ok := errors.AsType[*bot.NoHistoryError](err); ok {
		k.app.log.Warn("cannot look for an earlier copy before posting", "key", key, "error", noHistory)
	} else if err != nil {
		return "", err
	}
	if found {
		return ts, nil
	}
	text := fmt.Sprintf("Checkpoint of dw's first %d receipts. To check a log against it, save this message's text: dw receipts verify --anchor FILE\n```\n%s```", o.Size, o.Note)
	return k.app.speaker().Post(ctx, channel, bot.Message{Text: text}, bot.PostOptions{Key: key})
}

// record writes the anchor's receipt, once.
func (k *anchors) record(ctx context.Context, o anchorOrder, body receipts.Object) error {
	return k.app.store.Update(ctx, func(tx workflows.Tx) error {
		since, err := tx.Receipts(ctx, o.Size, 0)
		if err != nil {
			return err
		}
		for _, entry := range since {
			row, err := receiptRow(entry)
			if err != nil {
				return err
			}
			if row.Kind == receipts.KindAnchorPosted && anchoredSize(entry) == o.Size && anchoredAt(entry) == body["where"] {
				return nil
			}
		}
		_, err = tx.AppendReceipt(ctx, receipts.Draft{
			Kind: receipts.KindAnchorPosted, Actor: receipts.Actor{Kind: receipts.ActorDW, Name: "dw"}, At: k.app.project.Now(), Body: body,
		})
		return err
	})
}

func anchoredAt(entry receipts.Entry) string {
	statement, err := receipts.Decode(entry.Bytes)
	if err != nil {
		return ""
	}
	predicate, _ := statement["predicate"].(receipts.Object)
	body, _ := predicate["body"].(receipts.Object)
	where, _ := body["where"].(string)
	return where
}

// rememberedFile keeps the newest anchored checkpoint beside the key, where a
// database that was put back does not reach.
func rememberedFile(keyFile string) string {
	return filepath.Join(filepath.Dir(keyFile), "receipts.anchor")
}

func (k *anchors) remember(o anchorOrder) error {
	if err := os.WriteFile(rememberedFile(k.app.project.Config.Receipts.KeyFile), []byte(o.Note), 0o600); err != nil {
		return fmt.Errorf("keep the newest anchor: %w", err)
	}
	return nil
}

// known returns the checkpoints that were anchored, as they stand outside of the
// database.
func (k *anchors) known(ctx context.Context) ([][]byte, error) {
	var notes [][]byte
	note, err := os.ReadFile(rememberedFile(k.app.project.Config.Receipts.KeyFile))
	switch {
	case err == nil:
		notes = append(notes, note)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read the newest anchor: %w", err)
	}
	if k.git == nil {
		return notes, nil
	}
	more, err := k.git.newest(ctx)
	return append(notes, more...), err
}
