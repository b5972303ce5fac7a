package openstack

import (
	"path"
	"regexp"
	"strings"
)

// Values of the PROXY protocol annotation.
const (
	proxyNone = "false"
	proxyV1   = "v1"
	proxyV2   = "v2"
)

// methods are the algorithms of pools
// (https://docs.openstack.org/api-ref/load-balancer/v2/#create-pool).
var methods = []string{methodRoundRobin, "LEAST_CONNECTIONS", "SOURCE_IP", methodSourceIPPort}

func checkProxyProtocol(value string) (string, bool) {
	switch strings.ToLower(value) {
	case "true", proxyV1:
		return proxyV1, true
	case proxyV2:
		return proxyV2, true
	case proxyNone:
		return proxyNone, true
	}
	return "", false
}

// checkUUID accepts what OpenStack's APIs do, in lower case.
func checkUUID(value string) (string, bool) {
	value = strings.ToLower(value)
	return value, uuid.MatchString(value)
}

// pattern is a name, a glob, or "~" and a regular expression; "!" before it negates.
func compilePattern(text string) (match func(name string) bool, ok bool) {
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
	_, ok := compilePattern(value)
	return value, ok
}

// matchTags reports whether an object with these tags is meant: "a,b" by any of them, "&a,b" by
// all, "!a,b" by none and "!&a,b" by not all. The API's own filters for the last two mean the
// opposite of what its guide says, so this is done here.
func matchTags(expression string, tags []string) bool {
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
