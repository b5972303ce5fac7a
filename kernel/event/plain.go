package event

import (
	"regexp"
	"strings"
)

// noise are the parts of error texts that differ from one attempt to the next, or say where and not
// what. With them no two events about the same would be equal, and they would not be counted as one.
var noise = []struct {
	pattern *regexp.Regexp
	with    string
}{
	// The request, as net/http and the SDKs write it: `Get "https://…": `, `GET https://…: `, `[GET https://…]`.
	{regexp.MustCompile(`(?i)\[?\b(get|head|post|put|patch|delete) "?https?://[^\s"\]]+"?(\]|:)? ?`), ""},
	{regexp.MustCompile(`https?://[^\s"'\],)]+`), "the API"},
	{regexp.MustCompile(`\(request "[^"]*"\) ?`), ""},
	{regexp.MustCompile(`(?i)[,;]? ?\(?"?\b(x-)?(amzn?-)?(openstack-)?request[-_ ]?id"?[:=]? ?"?[\w-]+"?\)?`), ""},
	{regexp.MustCompile(`[,;]? ?\(?"?\breq-[0-9a-f]{8}-[0-9a-f-]{27}"?\)?`), ""},
	// Connections, whose own port is another one each time.
	{regexp.MustCompile(`\b(read|write) (tcp|udp) \S+->\S+: `), "$1: "},
}

// Plain returns the message of an event without URLs, ids of requests and local ports. They belong
// into the log.
func Plain(message string) string {
	for _, n := range noise {
		message = n.pattern.ReplaceAllString(message, n.with)
	}
	return strings.TrimSpace(message)
}
