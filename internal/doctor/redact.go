package doctor

import (
	"regexp"
	"slices"
	"strings"
)

// hidden stands in the place of a secret.
const hidden = "[hidden]"

// patterns are how secrets look wherever they are. What is in the first group stays.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`()-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)`),
	regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/@"']+@`),                                                                                                                        // user information of a URL
	regexp.MustCompile(`((?i:bearer|basic|token)[ :]+)[A-Za-z0-9+/_=.~-]{6,}`),                                                                                                           // an Authorization header
	regexp.MustCompile(`()\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`),                                                                                                         // a JWT
	regexp.MustCompile(`()\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b`),                                                                                                                     // a key of AWS
	regexp.MustCompile(`()\b(?:dop_v1|doo_v1|dor_v1|ghp|gho|ghs|glpat|xox[bpars]|sk)[-_][A-Za-z0-9_-]{8,}`),                                                                              // tokens with a prefix
	regexp.MustCompile(`((?i:[?&](?:sig|signature|x-amz-[a-z-]+|token|key|code)=))[^&\s"']+`),                                                                                            // a signed URL
	regexp.MustCompile(`((?i:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential)[a-zA-Z0-9_.-]*["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s,;}"']+)`), // name and value
	regexp.MustCompile(`(^|[^A-Za-z0-9+/_:=-])[A-Za-z0-9+/_]{40,}={0,2}`),                                                                                                                // long random texts
}

// redactor takes secrets out of texts.
type redactor struct{ known []string }

// shortest is how long a known secret is at least that is looked for anywhere.
const shortest = 4

// newRedactor returns a redactor that looks for these secrets too, such as those of the environment.
func newRedactor(secrets []string) redactor {
	known := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(strings.TrimSpace(s)) < shortest })
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // one may be part of another
	return redactor{known}
}

func (r redactor) text(text string) string {
	for _, secret := range r.known {
		text = strings.ReplaceAll(text, secret, hidden)
		text = strings.ReplaceAll(text, strings.TrimSpace(secret), hidden)
	}
	for _, p := range patterns {
		text = p.ReplaceAllString(text, "${1}"+hidden)
	}
	return text
}

// args hides the values of flags that are not known to be harmless, and whatever looks like a secret.
func (r redactor) args(args []string, harmless func(string) bool) []string {
	list := make([]string, 0, len(args))
	for n, arg := range args {
		name, _, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case strings.HasPrefix(arg, "-") && harmless(name), n == 0 && strings.HasPrefix(arg, "/"):
			list = append(list, r.text(arg))
		case strings.HasPrefix(arg, "-") && valued:
			list = append(list, "--"+name+"="+hidden)
		case strings.HasPrefix(arg, "-"):
			list = append(list, arg)
		default:
			list = append(list, hidden) // a script, or the value of the flag before
		}
	}
	return list
}

// values hides all values but those of harmless keys.
func (r redactor) values(all map[string]string, harmless func(string) bool) map[string]string {
	list := map[string]string{}
	for key, value := range all {
		if list[key] = hidden; harmless(key) {
			list[key] = r.text(value)
		}
	}
	return list
}
