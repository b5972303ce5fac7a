package cloud

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// How many bytes of a text of somebody else are repeated in messages.
const (
	// MostOfValue is for what a user wrote, such as the value of an annotation.
	MostOfValue = 200
	// mostOfText is for what the cloud answered, or for what would be right where that depends on what a user wrote.
	mostOfText = 600
	// ofShortened is for what Shorten says of the rest.
	ofShortened = 40
)

// Shorten returns a text of at most that many bytes, of which at least 40 say how much of a longer one is left out.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	at := max(0, most-ofShortened)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s… (and %d characters more)", text[:at], utf8.RuneCountInString(text[at:]))
}

// quoteShort returns the beginning of a value between quotes. Characters that cannot be printed are several in quotes.
func quoteShort(value string) string {
	if quoted := strconv.Quote(Shorten(value, MostOfValue)); len(quoted) <= MostOfValue*3/2 {
		return quoted
	}
	return strconv.Quote(Shorten(value, MostOfValue/2))
}
