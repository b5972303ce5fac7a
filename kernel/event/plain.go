package event

import (
	"regexp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// url is an address of HTTP, whose host may be one of IPv6, in brackets.
const url = `https?://(?:\[[^\]\s]*\])?`

// requestID is the id of a request, with its name or in OpenStack's form.
const requestID = `"?\b(?:(?:x-)?(?:amzn?-)?(?:openstack-)?request[-_ ]?id"?[:=] ?"?[\w-]+|req-[0-9a-f]{8}-[0-9a-f-]{27})"?`

// noise are the parts of error texts that differ from one attempt to the next, or say where and not
// what. With them no two events about the same would be equal, and they would not be counted as one.
var noise = []struct {
	pattern *regexp.Regexp
	with    string
}{
	// The request, as net/http and the SDKs write it: `Get "https://…": `, `GET https://…: `, `[GET https://…]`.
	{regexp.MustCompile(`(?i)\[?\b(get|head|post|put|patch|delete) "?` + url + `[^\s"\]]*"?(\]|:)? ?`), ""},
	{regexp.MustCompile(url + `[^\s"'\],)]*`), "the API"},
	{regexp.MustCompile(`\(request "[^"]*"\) ?`), ""},
	// In brackets of its own, first in brackets with more, and anywhere else.
	{regexp.MustCompile(`(?i)[,;]? ?\(` + requestID + `\)`), ""},
	{regexp.MustCompile(`(?i)\(` + requestID + `[,;]? ?`), "("},
	{regexp.MustCompile(`(?i)[,;]? ?` + requestID), ""},
	// Connections, whose own port is another one each time.
	{regexp.MustCompile(`\b(read|write) (tcp|udp) \S+->\S+: `), "$1: "},
	{regexp.MustCompile(`\bLastStreamID=\d+,? ?`), ""},
	// Certificates are compared with the clock; AWS encodes the details of a refusal anew each time.
	{regexp.MustCompile(`\bcurrent time \S+ is (after|before) (\S+)`), "current time is $1 $2"},
	{regexp.MustCompile(` ?\bEncoded authorization failure message: \S+`), ""},
}

// invalid is the text of a cloud.Invalid. It says what the user wrote, which may be a URL, and stays
// as it is.
var invalid = regexp.MustCompile(`\S+: "(?:[^"\\]|\\.)*" is not possible: [^\n]*`)

// Plain returns the message of an event without URLs, ids of requests and local ports. They belong
// into the log.
func Plain(message string) string {
	var text strings.Builder
	at := 0
	for _, own := range invalid.FindAllStringIndex(message, -1) {
		text.WriteString(quiet(message[at:own[0]]))
		text.WriteString(message[own[0]:own[1]])
		at = own[1]
	}
	text.WriteString(quiet(message[at:]))
	return strings.TrimSpace(text.String())
}

func quiet(text string) string {
	for _, n := range noise {
		text = n.pattern.ReplaceAllString(text, n.with)
	}
	return text
}

// Explained is an error for an event: what went wrong, without what differs each time, and what to
// do about it.
func Explained(err error) string {
	text := Plain(err.Error())
	if advice := cloud.Advice(err); advice != "" {
		text += "; " + advice
	}
	return text
}
