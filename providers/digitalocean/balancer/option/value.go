package option

import (
	"strconv"
	"strings"
)

// Values of the API's network, network_stack and algorithm.
const (
	NetworkInternal  = "INTERNAL"
	NetworkExternal  = "EXTERNAL"
	StackIPv4        = "IPV4"
	StackDual        = "DUALSTACK"
	RoundRobin       = "round_robin"
	LeastConnections = "least_connections"
)

// StandardTimeout is how many seconds HTTP connections can be idle on a balancer that says nothing of it.
const StandardTimeout = "60"

// Fields that are shown for more than one annotation.
const (
	FieldIP     = "ip"
	FieldSticky = "stickySessions"
)

// Values of sticky sessions, as the API spells them.
const (
	StickyNone    = "none"
	StickyCookies = "cookies"
)

// Cookies is the field of sticky sessions with cookies as one comparable value: "cookies 300 DO-LB".
func Cookies(name string, seconds int) string {
	return strings.Join([]string{StickyCookies, strconv.Itoa(seconds), name}, " ")
}

// ParseCookies is the inverse of Cookies; ok is false where there are no cookies.
func ParseCookies(value string) (name string, seconds int, ok bool) {
	parts := strings.SplitN(value, " ", 3)
	if len(parts) != 3 {
		return "", 0, false
	}
	seconds, _ = strconv.Atoi(parts[1])
	return parts[2], seconds, true
}

// SlugSizes are the deprecated size slugs in nodes.
var SlugSizes = map[string]string{"lb-small": "1", "lb-medium": "3", "lb-large": "6"}
