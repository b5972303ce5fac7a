package aws

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// trafficPort is where the traffic goes, as a port of a health check.
const trafficPort = "traffic-port"

// checkInternal reads upstream's values: all but "false" mean true.
func checkInternal(value string) (string, bool) { return strconv.FormatBool(value != "false"), true }

// proxyClassic asks for the PROXY protocol on Classic Load Balancers only.
const proxyClassic = "*"

func checkProxyProtocol(value string) (string, bool) {
	if value == proxyClassic {
		return value, true
	}
	on, err := strconv.ParseBool(value)
	return strconv.FormatBool(on), err == nil
}

func checkHealthProtocol(value string) (string, bool) {
	value = strings.ToUpper(value)
	return value, slices.Contains([]string{"TCP", "SSL", "HTTP", "HTTPS"}, value)
}

func checkHealthPort(value string) (string, bool) {
	if value == trafficPort {
		return value, true
	}
	port, err := strconv.Atoi(value)
	return strconv.Itoa(port), err == nil && 1 <= port && port <= 65535
}

// balancerNames are the names AWS takes, but for those that begin with reservedName
// (CreateLoadBalancer, Name and LoadBalancerName).
var balancerNames = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?$`)

const reservedName = "internal-"

func checkName(value string) (string, bool) {
	return value, len(value) <= maxName && balancerNames.MatchString(value) && !strings.HasPrefix(value, reservedName)
}

// What AWS takes for tags (Elastic Load Balancing API, Tag), besides maxTagValue. Of 50 on an
// object some are ours.
const (
	maxTags     = 40
	maxTagKey   = 128 // characters
	reservedTag = "aws:"
)

var tagCharacters = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+@-]*$`)

// checkTags reads "k=v,k2=,k3". Upstream cuts a value at a second "=".
func checkTags(value string) (string, bool) {
	tags := parseTags(value)
	for key, value := range tags {
		switch {
		case key == "", utf8.RuneCountInString(key) > maxTagKey, utf8.RuneCountInString(value) > maxTagValue,
			!tagCharacters.MatchString(key), !tagCharacters.MatchString(value), strings.HasPrefix(strings.ToLower(key), reservedTag):
			return "", false
		}
	}
	return tagText(tags), len(tags) <= maxTags
}

// parseTags reads "k=v,k2=,k3"; of two with one key the last counts.
func parseTags(text string) map[string]string {
	tags := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		value, _, _ = strings.Cut(value, "=")
		tags[strings.TrimSpace(key)] = value
	}
	return tags
}

// tagText is parseTags the other way round, sorted.
func tagText(tags map[string]string) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		pairs = append(pairs, key+"="+tags[key])
	}
	return strings.Join(pairs, ",")
}

// Attributes of target groups that an annotation may set.
const (
	attributePreserve = "preserve_client_ip.enabled"
	attributeProxy    = "proxy_protocol_v2.enabled"
)

func checkTargetAttributes(value string) (string, bool) {
	attributes := parseTags(value)
	for name, value := range attributes {
		if name != attributePreserve && name != attributeProxy || value != "true" && value != "false" {
			return "", false
		}
	}
	return tagText(attributes), true
}
