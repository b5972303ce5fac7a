package annotation

import (
	"net/netip"
	"strings"
)

// checkHostname accepts what the API server accepts as a host name in a status: a DNS name
// of up to 253 characters that is not an address. It returns it in lower case.
func checkHostname(value string) (string, bool) {
	value = strings.ToLower(value)
	if _, err := netip.ParseAddr(value); err == nil || len(value) > 253 {
		return "", false
	}
	for label := range strings.SplitSeq(value, ".") {
		if !isLabel(label) {
			return "", false
		}
	}
	return value, true
}

// isLabel reports whether a text is a DNS label as Kubernetes wants it (RFC 1123).
func isLabel(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	return text != "" && len(text) <= 63 &&
		strings.Trim(text, letters+"-") == "" && text[0] != '-' && text[len(text)-1] != '-'
}

// IPv4 is the check of a key that wants an IPv4 address, see [Key.Checked].
func IPv4(value string) (string, bool) {
	address, err := netip.ParseAddr(value)
	return address.String(), err == nil && address.Is4()
}
