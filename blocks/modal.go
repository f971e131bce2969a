package blocks

import "github.com/slack-go/slack"

// RejectModal asks for the reason of a rejection; value is that of the button
// that was clicked, and messageTS and channel tie it to its card.
func RejectModal(title, metadata string) slack.ModalViewRequest {
	input := slack.NewPlainTextInputBlockElement(plain("What is wrong with this plan?", 150), ActionReason)
	input.Multiline = true
	input.MaxLength = 1000
	return slack.ModalViewRequest{
		Type:            slack.VTModal,
		CallbackID:      CallbackReject,
		PrivateMetadata: metadata,
		Title:           plain("Reject the proposal", maxModal),
		Submit:          plain("Reject", maxModal),
		Close:           plain("Back", maxModal),
		Blocks: slack.Blocks{BlockSet: []slack.Block{
			rich("what", line{text("You reject: "), bold(title)}, line{text("One rejection ends it; the incident stays open.")}),
			slack.NewInputBlock(BlockReason, plain("Reason", 100), plain("It is shown on the card and kept as a receipt.", 150), input),
		}},
	}
}
