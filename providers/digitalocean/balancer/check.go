package balancer

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// The functions here validate and canonicalise the values of annotations.

// checkUUID is for the ids of balancers. They are compared with what the API says, in lower case.
func checkUUID(value string) (string, bool) { return strings.ToLower(value), identifier.IsUUID(value) }

func checkIdentifier(value string) (string, bool) { return value, identifier.IsIdentifier(value) }

func checkName(value string) (string, bool) {
	return value, len(value) <= identifier.MaxName && identifier.ConsistsOf(value, identifier.Letters+identifier.Upper+identifier.Digits+".-") &&
		identifier.ConsistsOf(value[:1], identifier.Letters+identifier.Upper+identifier.Digits) && !strings.HasSuffix(value, "-")
}

// checkInternal turns upstream's two values into a boolean. It takes booleans too.
func checkInternal(value string) (string, bool) {
	switch value {
	case networkInternal, "true":
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

// cookieName and cookieTTL are parts of the field stickySessions, "" where there is no cookie.
func cookieName(field string) string { return parseSticky(field).CookieName }

func cookieTTL(field string) string {
	if s := parseSticky(field); s.Type == stickyCookies {
		return strconv.Itoa(s.CookieTtlSeconds)
	}
	return ""
}

func checkCookie(value string) (string, bool) { return value, len(value) >= 2 && len(value) <= 40 }

const wantRules = `"ip:<address>" and "cidr:<network>", separated by commas`

// CheckRules canonicalises a list of access rules: sorted, each once, host bits cleared.
func CheckRules(value string) (string, bool) {
	var rules []string
	for item := range strings.SplitSeq(value, ",") {
		rule, ok := canonicalRule(item)
		if !ok {
			return "", false
		}
		rules = append(rules, rule)
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), ","), true
}

// canonicalRule returns one access rule in the form in which all rules are compared.
func canonicalRule(rule string) (string, bool) {
	kind, value, _ := strings.Cut(strings.TrimSpace(rule), ":")
	switch kind {
	case "ip":
		address, err := netip.ParseAddr(strings.TrimSpace(value))
		return "ip:" + address.String(), err == nil && address.Zone() == ""
	case "cidr":
		prefix, err := netip.ParsePrefix(strings.TrimSpace(value))
		return cidrRule(prefix), err == nil
	}
	return "", false
}

// cidrRule is an access rule for a network.
func cidrRule(prefix netip.Prefix) string { return "cidr:" + prefix.Masked().String() }

// canonicalRules returns access rules as annotations have them; what these never have stays.
func canonicalRules(rules []string) []string {
	var list []string
	for _, rule := range rules {
		if canonical, ok := canonicalRule(rule); ok {
			rule = canonical
		}
		list = append(list, rule)
	}
	slices.Sort(list)
	return list
}
