package bot

// Scope is one permission of the bot token and what dw does with it.
type Scope struct {
	// Name is Slack's, such as "chat:write".
	Name string
	// For says what dw uses it for, after "to".
	For string
	// Optional says that dw works without it, less well: Lack says how.
	Optional bool
	// Lack says what is missing without it.
	Lack string
}

// Scopes lists the bot scopes that dw's calls need, and no others: the app
// manifest asks for these and doctor holds the token against them. Source:
// Slack's page of each method that package bot calls.
func Scopes() []Scope {
	const twice = "a post whose answer got lost may be sent twice"
	return []Scope{
		{Name: "commands", For: "answer the slash command"},
		{Name: "chat:write", For: "post and update cards"},
		{Name: "im:write", For: "open a direct message with an owner"},
		{Name: "users:read", For: "see whether who clicked is a full member"},
		{Name: "users:read.email", For: "find people by their e-mail", Optional: true, Lack: "people can be named by Slack id only"},
		{Name: "usergroups:read", For: "see who is in a user group that approves", Optional: true, Lack: "user groups cannot approve"},
		{Name: "channels:read", For: "look at a public channel"},
		{Name: "groups:read", For: "look at a private channel that dw was invited to", Optional: true, Lack: "private channels cannot be used"},
		{Name: "channels:history", For: "find its own post again", Optional: true, Lack: twice},
		{Name: "groups:history", For: "find its own post again in a private channel", Optional: true, Lack: twice},
		{Name: "im:history", For: "find its own direct message again", Optional: true, Lack: twice},
	}
}
