package slackdev_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dw/slackdev"
)

func x(n int) string { return strings.Repeat("é", n) }

func repeat(n int, one string) string {
	return strings.TrimSuffix(strings.Repeat(one+",", n), ",")
}

func section(words string) string {
	return `{"type":"section","text":{"type":"mrkdwn","text":"` + words + `"}}`
}

func button(extra string) string {
	return `{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Go"}` + extra + `}]}`
}

func TestBlockLimits(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	option := `{"text":{"type":"plain_text","text":"a"},"value":"v"}`
	cases := map[string]struct{ block, want string }{
		"section at the limit":     {section(x(3000)), ""},
		"section over it":          {section(x(3001)), "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"},
		"section empty text":       {section(""), "must be more than 0 characters"},
		"section with nothing":     {`{"type":"section"}`, "must have at least one of: text, fields"},
		"section string text":      {`{"type":"section","text":"x"}`, "must be a valid object"},
		"ten fields":               {`{"type":"section","fields":[` + repeat(10, `{"type":"mrkdwn","text":"f"}`) + `]}`, ""},
		"eleven fields":            {`{"type":"section","fields":[` + repeat(11, `{"type":"mrkdwn","text":"f"}`) + `]}`, "no more than 10 items"},
		"field too long":           {`{"type":"section","fields":[{"type":"mrkdwn","text":"` + x(2001) + `"}]}`, "less than 2001"},
		"header at the limit":      {`{"type":"header","text":{"type":"plain_text","text":"` + x(150) + `"}}`, ""},
		"header over it":           {`{"type":"header","text":{"type":"plain_text","text":"` + x(151) + `"}}`, "less than 151"},
		"mrkdwn header":            {`{"type":"header","text":{"type":"mrkdwn","text":"x"}}`, "must be one of: plain_text"},
		"context of ten":           {`{"type":"context","elements":[` + repeat(10, `{"type":"mrkdwn","text":"f"}`) + `]}`, ""},
		"context of eleven":        {`{"type":"context","elements":[` + repeat(11, `{"type":"mrkdwn","text":"f"}`) + `]}`, "no more than 10"},
		"button in context":        {`{"type":"context","elements":[{"type":"button","text":{"type":"plain_text","text":"x"}}]}`, "unsupported type: button"},
		"no elements":              {`{"type":"actions","elements":[]}`, "no fewer than 1"},
		"26 elements":              {`{"type":"actions","elements":[` + repeat(26, `{"type":"button","text":{"type":"plain_text","text":"x"}}`) + `]}`, "no more than 25"},
		"button":                   {button(`,"style":"primary","value":"` + x(2000) + `","url":"https://example.com"`), ""},
		"button value too long":    {button(`,"value":"` + x(2001) + `"`), "less than 2001"},
		"button odd style":         {button(`,"style":"green"`), "must be one of: primary, danger"},
		"button without text":      {`{"type":"actions","elements":[{"type":"button"}]}`, "missing required field: text"},
		"button text too long":     {`{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"` + x(76) + `"}}]}`, "less than 76"},
		"button mrkdwn":            {`{"type":"actions","elements":[{"type":"button","text":{"type":"mrkdwn","text":"x"}}]}`, "must be one of: plain_text"},
		"confirm title too long":   {button(`,"confirm":{"title":{"type":"plain_text","text":"` + x(101) + `"},"text":{"type":"mrkdwn","text":"x"},"confirm":{"type":"plain_text","text":"y"},"deny":{"type":"plain_text","text":"n"}}`), "less than 101"},
		"confirm without deny":     {button(`,"confirm":{"title":{"type":"plain_text","text":"t"},"text":{"type":"mrkdwn","text":"x"},"confirm":{"type":"plain_text","text":"y"}}`), "missing required field: deny"},
		"misspelt key":             {`{"type":"divider","blockid":"x"}`, "unknown field: blockid"},
		"block_id too long":        {`{"type":"divider","block_id":"` + x(256) + `"}`, "less than 256"},
		"same block_id":            {`{"type":"divider","block_id":"d"},{"type":"divider","block_id":"d"}`, "`block_id` already exists: d"},
		"same action_id":           {button(`,"action_id":"a"`) + "," + button(`,"action_id":"a"`), "`action_id` already exists: a"},
		"markdown":                 {`{"type":"markdown","text":"` + x(6000) + `"},{"type":"markdown","text":"` + x(6000) + `"}`, ""},
		"markdown over it all":     {`{"type":"markdown","text":"` + x(6000) + `"},{"type":"markdown","text":"` + x(6001) + `"}`, "12001 characters together"},
		"markdown too long":        {`{"type":"markdown","text":"` + x(12001) + `"}`, "less than 12001"},
		"50 blocks":                {repeat(50, `{"type":"divider"}`), ""},
		"51 blocks":                {repeat(51, `{"type":"divider"}`), "no more than 50 items"},
		"image without alt text":   {`{"type":"image","image_url":"https://example.com/i.png"}`, "missing required field: alt_text"},
		"image from nowhere":       {`{"type":"image","alt_text":"x"}`, "must have exactly one of: image_url, slack_file"},
		"select of 100":            {`{"type":"actions","elements":[{"type":"static_select","options":[` + repeat(100, option) + `]}]}`, ""},
		"select of 101":            {`{"type":"actions","elements":[{"type":"static_select","options":[` + repeat(101, option) + `]}]}`, "no more than 100"},
		"select without options":   {`{"type":"actions","elements":[{"type":"static_select"}]}`, "exactly one of: options, option_groups"},
		"option value too long":    {`{"type":"actions","elements":[{"type":"static_select","options":[{"text":{"type":"plain_text","text":"a"},"value":"` + x(151) + `"}]}]}`, "less than 151"},
		"overflow of 6":            {`{"type":"actions","elements":[{"type":"overflow","options":[` + repeat(6, option) + `]}]}`, "no more than 5"},
		"checkboxes of 11":         {`{"type":"actions","elements":[{"type":"checkboxes","options":[` + repeat(11, option) + `]}]}`, "no more than 10"},
		"text input in actions":    {`{"type":"actions","elements":[{"type":"plain_text_input"}]}`, "unsupported type: plain_text_input"},
		"input without element":    {`{"type":"input","label":{"type":"plain_text","text":"x"}}`, "missing required field: element"},
		"rich text":                {`{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"<!channel>","style":{"code":true}}]}]}`, ""},
		"rich text odd style":      {`{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"x","style":{"big":true}}]}]}`, "unknown field: big"},
		"rich text list of text":   {`{"type":"rich_text","elements":[{"type":"rich_text_list","style":"bullet","elements":[{"type":"text","text":"x"}]}]}`, "unsupported type: text"},
		"table":                    {table(100, 20, "c"), ""},
		"table of 101 rows":        {table(101, 1, "c"), "no more than 100"},
		"table of 21 columns":      {table(1, 21, "c"), "no more than 20"},
		"table of 10,001 letters":  {table(1, 1, x(10001)), "less than 10001"},
		"two tables":               {table(1, 1, "c") + "," + table(1, 1, "c"), "only_one_table_allowed"},
		"alert in a message":       {`{"type":"alert","text":{"type":"plain_text","text":"x"}}`, "unsupported type: alert"},
		"block of no type":         {`{}`, "unsupported type"},
		"emoji flag in mrkdwn":     {`{"type":"section","text":{"type":"mrkdwn","text":"x","emoji":true}}`, "unknown field: emoji"},
		"min_length over the most": {`{"type":"input","label":{"type":"plain_text","text":"x"},"element":{"type":"plain_text_input","max_length":3001}}`, "integer from 1 to 3000"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := b.call(t, "chat.postMessage", "channel", open, "text", "x", "blocks", "["+c.block+"]")
			if c.want == "" {
				if !a.OK {
					t.Errorf("refused: %s %v", a.Error, a.Errors)
				}
				return
			}
			if a.Error != "invalid_blocks" || !strings.Contains(strings.Join(a.Errors, "\n"), c.want) {
				t.Errorf("got %q %v, want %q", a.Error, a.Errors, c.want)
			}
			if len(a.Metadata.Messages) == 0 || !strings.HasPrefix(a.Metadata.Messages[0], "[ERROR] ") {
				t.Errorf("response_metadata: %v", a.Metadata.Messages)
			}
		})
	}
}

func table(rows, columns int, cell string) string {
	row := "[" + repeat(columns, `{"type":"raw_text","text":"`+cell+`"}`) + "]"
	return `{"type":"table","rows":[` + repeat(rows, row) + `]}`
}

func TestAllBlocksTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fits := "[" + repeat(4, section(x(2900))) + "]"
	if a := b.call(t, "chat.postMessage", "channel", open, "blocks", fits); !a.OK {
		t.Errorf("11,600 characters: %+v", a)
	}
	over := "[" + repeat(5, section(x(2900))) + "]"
	if a := b.call(t, "chat.postMessage", "channel", open, "blocks", over); a.Error != "msg_blocks_too_long" {
		t.Errorf("14,500 characters: %+v", a)
	}
}

func TestTextWithEmptyBlocksClearsThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ts := b.post(t, "text", "x", "blocks", approveBlocks)
	if a := b.call(t, "chat.update", "channel", open, "ts", ts, "text", "done", "blocks", "[]"); !a.OK {
		t.Fatal(a)
	}
	if m := b.Messages(open)[0]; m.Blocks != nil || m.Text != "done" {
		t.Errorf("%+v", m)
	}
}

func TestMissingIDsAreFilledIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.post(t, "blocks", "["+repeat(3, button(""))+"]")
	var blocks []struct {
		ID       string `json:"block_id"`
		Elements []struct {
			ID string `json:"action_id"`
		}
	}
	if err := json.Unmarshal(b.Messages(open)[0].Blocks, &blocks); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, block := range blocks {
		seen[block.ID], seen[block.Elements[0].ID] = true, true
	}
	if len(seen) != 6 || seen[""] {
		t.Errorf("ids: %v", seen)
	}
}

func TestViewRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	good := `"title":{"type":"plain_text","text":"T"},"submit":{"type":"plain_text","text":"S"}`
	input := `{"type":"input","label":{"type":"plain_text","text":"x"},"element":{"type":"plain_text_input"}}`
	cases := map[string]struct{ body, want string }{
		"no title":          {`"blocks":[]`, "missing required field: title"},
		"long title":        {`"title":{"type":"plain_text","text":"` + x(25) + `"},"blocks":[]`, "less than 25"},
		"input, no submit":  {`"title":{"type":"plain_text","text":"T"},"blocks":[` + input + `]`, "`submit` is required"},
		"long metadata":     {good + `,"blocks":[],"private_metadata":"` + x(3001) + `"`, "less than 3001"},
		"table":             {good + `,"blocks":[` + table(1, 1, "c") + `]`, "unsupported type: table"},
		"101 blocks":        {good + `,"blocks":[` + repeat(101, `{"type":"divider"}`) + `]`, "no more than 100"},
		"unknown key":       {good + `,"blocks":[],"colour":"red"`, "unknown field: colour"},
		"blocks no array":   {good + `,"blocks":{}`, "must be an array"},
		"all is well, then": {good + `,"blocks":[` + input + `]`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := b.call(t, "views.open", "trigger_id", "1.2", "view", `{"type":"modal",`+c.body+`}`)
			if c.want == "" {
				if a.Error != "invalid_trigger_id" {
					t.Errorf("a good view was refused: %+v", a)
				}
				return
			}
			if a.Error != "invalid_arguments" || !strings.Contains(fmt.Sprint(a.Errors), c.want) {
				t.Errorf("got %q %v, want %q", a.Error, a.Errors, c.want)
			}
		})
	}
}
