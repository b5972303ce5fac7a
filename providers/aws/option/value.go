package option

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Terminates reports whether the port terminates TLS: there is a certificate, and the port is
// one of those it is for, by number or name.
func Terminates(spec cloud.Spec, port cloud.Port) bool {
	ports := TLSPorts.List(spec.Options)
	return len(Certificate.List(spec.Options)) > 0 &&
		(slices.Contains(ports, TLSPorts.Default) || slices.Contains(ports, strconv.Itoa(port.Port)) || port.Name != "" && slices.Contains(ports, port.Name))
}

// TrafficPort is where the traffic goes, as a port of a health check.
const TrafficPort = "traffic-port"

// allPorts is the value of TLSPorts that is every TCP port.
const allPorts = "*"

// checkPortNames reads numbers and names of ports, with commas.
func checkPortNames(value string) (string, bool) {
	names := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	return strings.Join(names, ","), true
}

// withoutAddresses are the subnets of "subnet-1=eipalloc-1,subnet-2".
func withoutAddresses(places string) string {
	ids := strings.Split(places, ",")
	for i, place := range ids {
		ids[i], _, _ = strings.Cut(place, "=")
	}
	return strings.Join(ids, ",")
}

// checkInternal reads upstream's values: all but "false" mean true.
func checkInternal(value string) (string, bool) { return strconv.FormatBool(value != "false"), true }

// ProxyClassic asks for the PROXY protocol on Classic Load Balancers only.
const ProxyClassic = "*"

func checkProxyProtocol(value string) (string, bool) {
	if value == ProxyClassic {
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
	if value == TrafficPort {
		return value, true
	}
	port, err := strconv.Atoi(value)
	return strconv.Itoa(port), err == nil && 1 <= port && port <= 65535
}

// BalancerNames are the names AWS takes, but for those that begin with reservedName
// (CreateLoadBalancer, Name and LoadBalancerName).
var BalancerNames = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?$`)

// MaxName is the longest name of a balancer or target group (CreateLoadBalancer, Name).
const MaxName = 32

const reservedName = "internal-"

func checkName(value string) (string, bool) {
	return value, len(value) <= MaxName && BalancerNames.MatchString(value) && !strings.HasPrefix(value, reservedName)
}

var allocations = regexp.MustCompile(`^eipalloc-[0-9a-z]+$`)

// IsAllocation reports whether a text has the form of the id of an Elastic IP.
func IsAllocation(text string) bool { return allocations.MatchString(text) }

// IsARN reports whether a text can be the name of something in all of AWS.
func IsARN(text string) bool { return strings.HasPrefix(text, "arn:") }

// What AWS takes for tags (Elastic Load Balancing API, Tag). Of 50 on an
// object some are ours.
const (
	maxTags     = 40
	MaxTagValue = 256
	maxTagKey   = 128 // characters
	reservedTag = "aws:"
)

var tagCharacters = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+@-]*$`)

// checkTags reads "k=v,k2=,k3". Upstream cuts a value at a second "=".
func checkTags(value string) (string, bool) {
	tags := ParseTags(value)
	for key, value := range tags {
		switch {
		case key == "", utf8.RuneCountInString(key) > maxTagKey, utf8.RuneCountInString(value) > MaxTagValue,
			!tagCharacters.MatchString(key), !tagCharacters.MatchString(value), strings.HasPrefix(strings.ToLower(key), reservedTag):
			return "", false
		}
	}
	return TagText(tags), len(tags) <= maxTags
}

// ParseTags reads "k=v,k2=,k3"; of two with one key the last counts.
func ParseTags(text string) map[string]string {
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

// TagText is ParseTags the other way round, sorted.
func TagText(tags map[string]string) string { return strings.Join(TagPairs(tags), ",") }

// TagPairs returns tags as "k=v", sorted.
func TagPairs(tags map[string]string) []string {
	var pairs []string
	for key, value := range tags {
		pairs = append(pairs, key+"="+value)
	}
	slices.Sort(pairs)
	return pairs
}

// MaxClassicTimeout is the longest idle timeout of a Classic Load Balancer (ConnectionSettings,
// IdleTimeout), in seconds.
const MaxClassicTimeout = 4000

// Attributes of target groups that an annotation may set.
const (
	AttributePreserve = "preserve_client_ip.enabled"
	AttributeProxy    = "proxy_protocol_v2.enabled"
)

func checkTargetAttributes(value string) (string, bool) {
	attributes := ParseTags(value)
	for name, value := range attributes {
		if name != AttributePreserve && name != AttributeProxy || value != "true" && value != "false" {
			return "", false
		}
	}
	return TagText(attributes), true
}

// ProtocolBoth is the protocol of a listener of a network balancer that takes TCP and UDP on one port.
const ProtocolBoth cloud.Protocol = "TCP_UDP"
