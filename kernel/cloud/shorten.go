package cloud

import (
	"fmt"
	"unicode/utf8"
)

// How many characters of a text of somebody else are repeated in messages.
const (
	// MostOfValue is for what a user wrote, such as the value of an annotation.
	MostOfValue = 200
	// mostOfText is for what the cloud answered, or for what would be right where that depends on what a user wrote.
	mostOfText = 600
)

// Shorten returns the text with at most that many characters of it. Of one that is longer it says how many are left out.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	total := utf8.RuneCountInString(text)
	if total <= most {
		return text
	}
	for at := range text {
		if most--; most < 0 {
			text = text[:at]
			break
		}
	}
	left := total - utf8.RuneCountInString(text)
	return fmt.Sprintf("%s… (and %d more characters)", text, left)
}
