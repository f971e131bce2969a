package bot

import "fmt"

// RefusedError says that Slack clearly did not do what was asked, and why.
// Sending the same again changes nothing before Do was done.
type RefusedError struct {
	// Method is the Web API method, Code Slack's own word.
	Method, Code string
	// What says in plain words what is wrong; Do says who has to do what.
	What, Do string
	// Detail is Slack's own addition, such as the scope that is needed or the
	// block that is wrong; often empty.
	Detail string
}

// Error says what was refused, why, and what to do.
func (e *RefusedError) Error() string {
	detail := ""
	if e.Detail != "" {
		detail = " [" + e.Detail + "]"
	}
	return fmt.Sprintf("%s: Slack refused (%s): %s%s; %s", e.Method, e.Code, e.What, detail, e.Do)
}

// advice is what a code means and what mends it.
type advice struct{ what, do string }

const (
	newBotToken = "install the app again and put the new bot token (xoxb-…) into the configuration"
	ourMistake  = "this is a defect in dw: report it with this message"
	askAdmin    = "ask a workspace admin to allow it"
)

// refusal returns the error of a code, with words for those that are known.
func refusal(method, code, detail string) *RefusedError {
	for _, find := range []func(string) (advice, bool){placeAdvice, tokenAdvice, contentAdvice, personAdvice} {
		if a, ok := find(code); ok {
			return &RefusedError{Method: method, Code: code, What: a.what, Do: a.do, Detail: detail}
		}
	}
	return &RefusedError{
		Method: method, Code: code, Detail: detail, What: "Slack gives this code and no other reason",
		Do: "look the code up in Slack's page of the method",
	}
}

// placeAdvice covers channels and messages.
func placeAdvice(code string) (advice, bool) {
	switch code {
	case "channel_not_found":
		return advice{"there is no such channel, or it is private and dw is not in it", "check the channel id in the configuration and, in the channel, type /invite @dw"}, true
	case "not_in_channel":
		return advice{"dw is not a member of the channel", "in the channel, type /invite @dw"}, true
	case "is_archived":
		return advice{"the channel is archived", "unarchive it or name another channel in the configuration"}, true
	case "restricted_action", "restricted_action_read_only_channel", "restricted_action_thread_only_channel", "restricted_action_non_threadable_channel":
		return advice{"a rule of the workspace keeps apps from posting there", askAdmin}, true
	case "message_not_found", "thread_not_found", "cant_update_message", "edit_window_closed":
		return advice{"the message was deleted or can no longer be changed", "nothing mends it; a new message has to be posted"}, true
	case "no_permission", "ekm_access_denied", "access_denied", "team_access_not_granted":
		return advice{"the workspace does not let dw do this", askAdmin}, true
	case "http_404":
		return advice{"there is no Slack API at the configured address", "correct slack.api_url, or remove it to use Slack itself"}, true
	case "expired_url", "used_url", "invalid_response_url":
		return advice{"the address for the answer no longer works (30 minutes, 5 uses)", "post to the channel instead, or repeat the command"}, true
	}
	return advice{}, false
}

// tokenAdvice covers the app's own credentials.
func tokenAdvice(code string) (advice, bool) {
	switch code {
	case "invalid_auth", "not_authed", "token_expired", "not_allowed_token_type":
		return advice{"Slack does not accept the bot token", newBotToken}, true
	case "token_revoked":
		return advice{"the bot token was revoked", newBotToken}, true
	case "account_inactive":
		return advice{"the app was removed from the workspace", newBotToken}, true
	case "missing_scope":
		return advice{"the bot token lacks a scope", "add the scope under OAuth & Permissions, then " + newBotToken}, true
	}
	return advice{}, false
}

// contentAdvice covers what was sent.
func contentAdvice(code string) (advice, bool) {
	switch code {
	case "msg_too_long", "msg_blocks_too_long":
		return advice{"the message is longer than Slack takes", "send it shorter, or as a file"}, true
	case "invalid_blocks", "invalid_blocks_format", "invalid_attachments":
		return advice{"a block of the message is not valid here", "send it again as text; " + ourMistake}, true
	case "no_text", "invalid_arguments", "invalid_arg_name", "invalid_form_data", "invalid_json", "invalid_metadata_format", "metadata_too_large", "invalid_post_type", "invalid_charset":
		return advice{"the call is malformed", ourMistake}, true
	case "expired_trigger_id", "trigger_expired":
		return advice{"the click is older than the three seconds within which a window may be opened", "click again"}, true
	case "exchanged_trigger_id", "trigger_exchanged":
		return advice{"a window was already opened for this click", "click again"}, true
	case "view_too_large", "duplicate_external_id", "push_limit_reached":
		return advice{"the window is larger or deeper than Slack takes", ourMistake}, true
	case "hash_conflict":
		return advice{"the window was changed in the meantime", "open it again"}, true
	}
	return advice{}, false
}

// personAdvice covers the people spoken to.
func personAdvice(code string) (advice, bool) {
	switch code {
	case "user_not_found", "users_not_found":
		return advice{"there is no such person in this workspace", "correct the person in the configuration"}, true
	case "user_not_visible":
		return advice{"the person cannot be seen by dw", "name a full member of this workspace"}, true
	case "user_not_in_channel":
		return advice{"the person is not in the channel", "invite the person, or send a direct message"}, true
	case "cannot_dm_bot", "user_disabled", "messages_tab_disabled":
		return advice{"the person cannot receive direct messages from dw", "name another person, or switch on the Messages tab of the app"}, true
	case "no_such_subteam":
		return advice{"there is no such user group in this workspace", "correct slack_group in the configuration: the id begins with S"}, true
	case "plan_upgrade_required":
		return advice{"the workspace's plan has no user groups", "name people one by one in the configuration"}, true
	case "not_enabled":
		return advice{"the app's Home tab is switched off", "switch it on under App Home of the app"}, true
	}
	return advice{}, false
}
