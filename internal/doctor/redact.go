package doctor

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hidden stands in the place of a secret.
const hidden = "[hidden]"

// secretName is in the names of what is secret.
const secretName = `pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential`

// secretValue is what stands behind such a name: quoted with backslashes, as JSON is in a text of JSON,
// quoted, or bare.
const secretValue = `(?:\\+".*?\\+"(?:\s*[,}\]]|$)|\\+"[^"]*"?|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;}"']+)`

var secretField = regexp.MustCompile(`(?i:` + secretName + `)`)

// patterns are how secrets look wherever they are. What is in the first group stays.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`()-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)`),
	regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/"']*@`),                                            // user information of a URL, whose password may have an @
	regexp.MustCompile(`((?i:bearer|basic|token)[ :]+)[A-Za-z0-9+/_=.~-]{6,}`),                              // an Authorization header
	regexp.MustCompile(`()\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`),                            // a JWT
	regexp.MustCompile(`()\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b`),                                        // a key of AWS
	regexp.MustCompile(`()\b(?:dop_v1|doo_v1|dor_v1|ghp|gho|ghs|glpat|xox[bpars]|sk)[-_][A-Za-z0-9_-]{8,}`), // tokens with a prefix
	regexp.MustCompile(`((?i:[?&](?:sig|signature|x-amz-[a-z-]+|token|key|code)=))[^&\s"']+`),               // a signed URL
	regexp.MustCompile(`((?i:` + secretName + `)[a-zA-Z0-9_.-]*\\*["']?\s*[:=]\s*\[?)` + secretValue),       // name and value
	regexp.MustCompile(`(^|[^A-Za-z0-9+/_:=-])[A-Za-z0-9+/_]{40,}={0,2}`),                                   // long random texts
}

// redactor takes secrets out of texts.
type redactor struct{ known []string }

// shortest is how long a known secret is at least that is looked for anywhere.
const shortest = 4

// newRedactor returns a redactor that looks for these secrets too, such as those of the environment.
func newRedactor(secrets []string) redactor {
	var known []string
	for _, secret := range secrets {
		for _, one := range []string{secret, strings.TrimSpace(secret)} {
			known = append(known, forms(one)...)
		}
	}
	known = slices.DeleteFunc(known, func(s string) bool { return len(strings.TrimSpace(s)) < shortest })
	slices.SortFunc(known, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // one may be part of another
	return redactor{slices.Compact(known)}
}

// forms are the ways in which a secret is written in logs and messages.
func forms(secret string) []string {
	if len(secret) < shortest {
		return nil
	}
	quoted := strconv.Quote(secret)
	once := inJSON(secret)
	return []string{
		secret, quoted[1 : len(quoted)-1], once, inJSON(once), url.QueryEscape(secret), url.PathEscape(secret),
		url.UserPassword("", secret).String()[1:], base64.StdEncoding.EncodeToString([]byte(secret)),
	}
}

// inJSON returns the text as JSON has it between its quotes.
func inJSON(text string) string {
	raw, err := json.Marshal(text)
	if err != nil { // not for a text
		return text
	}
	return string(raw[1 : len(raw)-1])
}

// tree hides secrets in all texts of what was JSON.
func (r redactor) tree(content any) any {
	switch c := content.(type) {
	case string:
		return r.text(c)
	case []any:
		for n := range c {
			c[n] = r.tree(c[n])
		}
	case map[string]any:
		whole := make(map[string]any, len(c))
		for key, value := range c {
			if text, is := value.(string); is && text != "" && secretField.MatchString(key) {
				value = hidden
			}
			whole[r.text(key)] = r.tree(value)
		}
		return whole
	}
	return content
}

func (r redactor) text(text string) string {
	for _, secret := range r.known {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	for _, p := range patterns {
		text = p.ReplaceAllString(text, "${1}"+hidden)
	}
	return text
}

// flagName is a flag without a value. One with a single dash may have its value behind its letter.
var flagName = regexp.MustCompile(`^--[a-z0-9-]+$`)

// args hides the values of flags that are not known to be harmless, and whatever looks like a secret.
func (r redactor) args(args []string, harmless func(string) bool) []string {
	list := make([]string, 0, len(args))
	for n, arg := range args {
		name, _, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case strings.HasPrefix(arg, "-") && harmless(name), n == 0 && strings.HasPrefix(arg, "/"):
			list = append(list, r.text(arg))
		case flagName.MatchString("--"+name) && strings.HasPrefix(arg, "--") && valued:
			list = append(list, "--"+name+"="+hidden)
		case flagName.MatchString(arg):
			list = append(list, arg)
		default:
			list = append(list, hidden) // a script, the value of the flag before, or a short flag with its value behind it
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
