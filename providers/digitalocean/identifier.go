package digitalocean

import "strings"

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// isIdentifier reports whether s can be the id of an API object. Ids become part of a URL
// path, so what users write must not be able to lead to another object.
func isIdentifier(s string) bool { return len(s) <= 64 && consistsOf(s, letters+upper+digits+"-") }

// isUUID reports whether s can be the id of a balancer.
func isUUID(s string) bool {
	const pattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(s) != len(pattern) {
		return false
	}
	for i := range len(s) {
		if pattern[i] == '-' && s[i] != '-' || pattern[i] != '-' && strings.IndexByte(digits+"abcdefABCDEF", s[i]) < 0 {
			return false
		}
	}
	return true
}

// isSlug reports whether s can be the slug of a region.
func isSlug(s string) bool { return len(s) <= 32 && consistsOf(s, letters+digits+"-") }

// isTag reports whether the API accepts s as a tag.
func isTag(s string) bool { return len(s) <= maxTag && consistsOf(s, letters+upper+digits+":_-") }

// consistsOf reports whether s is not empty and has only the given characters.
func consistsOf(s, characters string) bool { return s != "" && strings.Trim(s, characters) == "" }
