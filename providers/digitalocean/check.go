package digitalocean

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// The functions here validate and canonicalise the values of annotations.

// checkUUID is for the ids of balancers. They are compared with what the API says, in lower case.
func checkUUID(value string) (string, bool) { return strings.ToLower(value), isUUID(value) }

func checkIdentifier(value string) (string, bool) { return value, isIdentifier(value) }

func checkName(value string) (string, bool) {
	return value, len(value) <= maxName && consistsOf(value, letters+upper+digits+".-") &&
		consistsOf(value[:1], letters+upper+digits) && !strings.HasSuffix(value, "-")
}

// checkInternal turns upstream's two values into a boolean.
func checkInternal(value string) (string, bool) {
	return strconv.FormatBool(value == "true" || value == networkInternal), true
}

func checkIPv4(value string) (string, bool) {
	address, err := netip.ParseAddr(value)
	if err != nil || !address.Is4() {
		return "", false
	}
	return address.String(), true
}

func checkPath(value string) (string, bool) { return value, strings.HasPrefix(value, "/") }

func checkCookie(value string) (string, bool) { return value, len(value) >= 2 && len(value) <= 40 }

const wantRules = `"ip:<address>" and "cidr:<network>", separated by commas`

// checkRules canonicalises a list of access rules: sorted, each once, host bits cleared.
func checkRules(value string) (string, bool) {
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

func cidrRule(prefix netip.Prefix) string { return "cidr:" + prefix.Masked().String() }
