// Package identifier knows what ids, tags and names the API accepts.
package identifier

import "strings"

// Characters of identifiers.
const (
	Letters = "abcdefghijklmnopqrstuvwxyz"
	Upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	Digits  = "0123456789"
)

// IsIdentifier reports whether s can be the id of an API object. Ids become part of a URL
// path, so what users write must not be able to lead to another object.
func IsIdentifier(s string) bool { return len(s) <= 64 && ConsistsOf(s, Letters+Upper+Digits+"-") }

// SampleUUID is what the id of an object looks like.
const SampleUUID = "6b2f0c2e-1111-4000-8000-000000000000"

// IsUUID reports whether s can be the id of a load balancer, a certificate, a VPC or a subnet.
func IsUUID(s string) bool {
	const pattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(s) != len(pattern) {
		return false
	}
	for i := range len(s) {
		if pattern[i] == '-' && s[i] != '-' || pattern[i] != '-' && strings.IndexByte(Digits+"abcdefABCDEF", s[i]) < 0 {
			return false
		}
	}
	return true
}

// IsSlug reports whether s can be the slug of a region.
func IsSlug(s string) bool { return len(s) <= 32 && ConsistsOf(s, Letters+Digits+"-") }

// IsTag reports whether the API accepts s as a tag.
func IsTag(s string) bool { return len(s) <= MaxTag && ConsistsOf(s, Letters+Upper+Digits+":_-") }

// ConsistsOf reports whether s is not empty and has only the given characters.
func ConsistsOf(s, characters string) bool { return s != "" && strings.Trim(s, characters) == "" }

// MaxTag is the longest tag the API accepts.
const MaxTag = 255

// MaxName is the longest name of a load balancer.
const MaxName = 255
