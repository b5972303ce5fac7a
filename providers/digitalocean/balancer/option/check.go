package option

import (
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// The functions here validate and canonicalise the values of annotations.

// checkUUID is for the ids of objects. They are compared with what the API says, in lower case.
func checkUUID(value string) (string, bool) { return strings.ToLower(value), identifier.IsUUID(value) }

func wantUUID(of string) string { return "the UUID of " + of + ", such as " + identifier.SampleUUID }

func checkName(value string) (string, bool) {
	return value, len(value) <= identifier.MaxName && identifier.ConsistsOf(value, identifier.Letters+identifier.Upper+identifier.Digits+".-") &&
		identifier.ConsistsOf(value[:1], identifier.Letters+identifier.Upper+identifier.Digits) && !strings.HasSuffix(value, "-")
}

// checkInternal turns upstream's two values into a boolean. It takes booleans too.
func checkInternal(value string) (string, bool) {
	switch value {
	case NetworkInternal, "true":
		return "true", true
	case NetworkExternal, "false":
		return "false", true
	}
	return "", false
}

func checkSize(value string) (string, bool) {
	nodes, err := strconv.Atoi(value)
	return strconv.Itoa(nodes), err == nil && nodes >= 0 && nodes <= 100
}

// cookieName and cookieTTL are parts of the field of sticky sessions, "" where there is no cookie.
func cookieName(field string) string {
	name, _, _ := ParseCookies(field)
	return name
}

func cookieTTL(field string) string {
	_, seconds, ok := ParseCookies(field)
	if !ok {
		return ""
	}
	return strconv.Itoa(seconds)
}

func checkCookie(value string) (string, bool) { return value, len(value) >= 2 && len(value) <= 40 }

const wantRules = `"ip:<address>" and "cidr:<network>", separated by commas`

// checkRules canonicalises a list of access rules: sorted, each once, host bits cleared.
func checkRules(value string) (string, bool) {
	var rules []string
	for item := range strings.SplitSeq(value, ",") {
		rule, ok := AccessRule(item)
		if !ok {
			return "", false
		}
		rules = append(rules, rule)
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), ","), true
}
