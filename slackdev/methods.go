package slackdev

// methods are all that the workspace knows; anything else is unknown_method. The
// tiers are calls a minute: docs.slack.dev/apis/web-api/rate-limits.
func methods() map[string]method {
	const tier2, tier3, tier4 = 20, 50, 100
	return map[string]method{
		"api.test":                     {do: (*Server).testAPI, perMin: tier4},
		"apps.connections.open":        {do: (*Server).connectionsOpen, perMin: tier3, app: true},
		"auth.test":                    {do: (*Server).authTest},
		"bots.info":                    {do: (*Server).botInfo, perMin: tier3},
		"chat.delete":                  {do: (*Server).deleteMessage, perMin: tier3},
		"chat.getPermalink":            {do: (*Server).getPermalink},
		"chat.postEphemeral":           {do: (*Server).postEphemeral, perMin: tier4},
		"chat.postMessage":             {do: (*Server).postMessage},
		"chat.update":                  {do: (*Server).updateMessage, perMin: tier3},
		"conversations.history":        {do: (*Server).history, perMin: tier3},
		"conversations.info":           {do: (*Server).channelInfo, perMin: tier3},
		"conversations.join":           {do: (*Server).joinChannel, perMin: tier3},
		"conversations.list":           {do: (*Server).listChannels, perMin: tier2}, // its scopes go by the types
		"conversations.members":        {do: (*Server).channelMembers, perMin: tier4},
		"conversations.open":           {do: (*Server).openDirect, perMin: tier3},
		"conversations.replies":        {do: (*Server).replies, perMin: tier3},
		"files.completeUploadExternal": {do: (*Server).completeUpload, perMin: tier4},
		"files.delete":                 {do: (*Server).deleteFile, perMin: tier3},
		"files.getUploadURLExternal":   {do: (*Server).uploadURL, perMin: tier4},
		"files.info":                   {do: (*Server).fileInfo, perMin: tier4},
		"reactions.add":                {do: (*Server).addReaction, perMin: tier3},
		"reactions.remove":             {do: (*Server).removeReaction, perMin: tier2},
		"team.info":                    {do: (*Server).teamInfo, perMin: tier3},
		"usergroups.list":              {do: (*Server).listUserGroups, perMin: tier2},
		"usergroups.users.list":        {do: (*Server).listGroupMembers, perMin: tier2},
		"users.info":                   {do: (*Server).userInfo, perMin: tier4},
		"users.list":                   {do: (*Server).listUsers, perMin: tier2},
		"users.lookupByEmail":          {do: (*Server).lookupByEmail, perMin: tier3},
		"views.open":                   {do: (*Server).openView, perMin: tier4},
		"views.publish":                {do: (*Server).publishView, perMin: tier4},
		"views.push":                   {do: (*Server).pushView, perMin: tier4},
		"views.update":                 {do: (*Server).updateView, perMin: tier4},
	}
}
