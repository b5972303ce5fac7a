package option

import (
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// Values of the PROXY protocol annotation.
const (
	ProxyNone = "false"
	ProxyV1   = "v1"
	ProxyV2   = "v2"
)

// methods are the algorithms of pools
// (https://docs.openstack.org/api-ref/load-balancer/v2/#create-pool).
var methods = []string{config.MethodRoundRobin, "LEAST_CONNECTIONS", "SOURCE_IP", config.MethodSourceIPPort}

func checkProxyProtocol(value string) (string, bool) {
	switch strings.ToLower(value) {
	case "true", ProxyV1:
		return ProxyV1, true
	case ProxyV2:
		return ProxyV2, true
	case ProxyNone:
		return ProxyNone, true
	}
	return "", false
}

func checkMethod(value string) (string, bool) { return value, slices.Contains(methods, value) }

// checkReference takes one reference: a listener has one certificate.
func checkReference(value string) (string, bool) { return value, !strings.Contains(value, ",") }

// fromMilliseconds reads milliseconds as seconds.
func fromMilliseconds(value string) string {
	milliseconds, _ := strconv.Atoi(value)
	return strconv.Itoa(milliseconds / 1000)
}

// isProxied reads the protocol of a pool: PROXY, PROXYV2.
func isProxied(pool string) string { return strconv.FormatBool(strings.HasPrefix(pool, "PROXY")) }

// checkAddress accepts an IP address.
func checkAddress(value string) (string, bool) {
	address, err := netip.ParseAddr(value)
	return address.String(), err == nil
}

// CheckUUID accepts what OpenStack's APIs do, in lower case.
func CheckUUID(value string) (string, bool) {
	value = strings.ToLower(value)
	return value, api.UUID.MatchString(value)
}

// CompilePattern reads a pattern: a name, a glob, or "~" and a regular expression; "!" before it negates.
func CompilePattern(text string) (match func(name string) bool, ok bool) {
	negated := false
	text, negated = strings.CutPrefix(text, "!")
	if expression, found := strings.CutPrefix(text, "~"); found {
		compiled, err := regexp.Compile("^(?:" + expression + ")$")
		if err != nil {
			return nil, false
		}
		return func(name string) bool { return compiled.MatchString(name) != negated }, true
	}
	alternatives := braces(text)
	for _, glob := range alternatives {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, false
		}
	}
	return func(name string) bool {
		matched := false
		for _, glob := range alternatives {
			one, _ := path.Match(glob, name)
			matched = matched || one
		}
		return matched != negated
	}, true
}

// braces expands the first "{a,b}" of a glob, and so all of them.
func braces(glob string) []string {
	head, rest, found := strings.Cut(glob, "{")
	inner, tail, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{glob}
	}
	var all []string
	for alternative := range strings.SplitSeq(inner, ",") {
		all = append(all, braces(head+alternative+tail)...)
	}
	return all
}

func checkPattern(value string) (string, bool) {
	_, ok := CompilePattern(value)
	return value, ok
}

// MatchTags reports whether an object with these tags is meant: "a,b" by any of them, "&a,b" by
// all, "!a,b" by none and "!&a,b" by not all. The API's own filters for the last two mean the
// opposite of what its guide says, so this is done here.
func MatchTags(expression string, tags []string) bool {
	expression, negated := strings.CutPrefix(strings.TrimSpace(expression), "!")
	expression, all := strings.CutPrefix(expression, "&")
	has := map[string]bool{}
	for _, tag := range tags {
		has[tag] = true
	}
	wanted := strings.FieldsFunc(expression, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(wanted) == 0 {
		return true
	}
	count := 0
	for _, tag := range wanted {
		if has[tag] {
			count++
		}
	}
	matched := count > 0
	if all {
		matched = count == len(wanted)
	}
	return matched != negated
}
