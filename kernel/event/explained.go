package event

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Explained is an error for an event: what went wrong, without what differs each time, and what to
// do about it.
func Explained(err error) string {
	text := Plain(err.Error())
	if advice := cloud.Advice(err); advice != "" {
		text += "; " + advice
	}
	return text
}
