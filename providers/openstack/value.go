package openstack

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/gcfg.v1/types"
)

// value is where the text of a key goes.
type value struct {
	// kind says for people what the value is.
	kind string
	// secret texts are never shown.
	secret bool
	// alone is what a key without "=" means, for booleans and lists only.
	alone func()
	// set returns what would have been right, or "" when the text is.
	set func(text string) (want string)
}

func text(into *string) value {
	return value{kind: "text", set: func(t string) string { *into = t; return "" }}
}

func secret(into *string) value {
	v := text(into)
	v.secret = true
	return v
}

// identifier is the id of an object of the cloud. Ids become part of URLs, so one must not
// be able to lead to another object.
func identifier(into *string) value {
	return value{kind: "id", set: func(t string) string {
		if t != "" && !isIdentifier(t) {
			return "want an id of letters, digits, '-' and '_'"
		}
		*into = t
		return ""
	}}
}

func isIdentifier(s string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return s != "" && len(s) <= 255 && strings.Trim(s, allowed) == ""
}

func boolean(into *bool) value {
	return value{kind: "bool", alone: func() { *into = true }, set: func(t string) string {
		b, err := types.ParseBool(t)
		if err != nil {
			return "want true or false"
		}
		*into = b
		return ""
	}}
}

// exactly is true for the text "true" alone, as upstream reads a key it takes for a text.
func exactly(into *bool) value {
	return value{kind: "bool", set: func(t string) string {
		*into = t == "true"
		if t != "" && t != "true" && t != "false" {
			return "want true or false; anything but true is taken for false"
		}
		return ""
	}}
}

func number(into *int, least, most int) value {
	return value{kind: "number", set: func(t string) string {
		n, err := strconv.Atoi(t)
		if err != nil || n < least || n > most {
			return "want a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)
		}
		*into = n
		return ""
	}}
}

// duration takes seconds without a unit too, of which upstream's documents speak.
func duration(into *time.Duration) value {
	return value{kind: "duration", set: func(t string) string {
		if n, err := strconv.ParseUint(t, 10, 31); err == nil {
			t = strconv.FormatUint(n, 10) + "s"
		}
		d, err := time.ParseDuration(t)
		if err != nil || d < time.Second {
			return "want a time of at least a second such as 5s, or a number of seconds"
		}
		*into = d
		return ""
	}}
}

func list(into *[]string) value {
	return value{kind: "list", alone: func() { *into = nil }, set: func(t string) string {
		*into = append(*into, t)
		return ""
	}}
}

func choice(into *string, of ...string) value {
	return value{kind: strings.Join(of, ", "), set: func(t string) string {
		if t != "" && !slices.Contains(of, t) {
			return "want " + strings.Join(of, " or ")
		}
		*into = t
		return ""
	}}
}

// preference is a choice whose other values are taken too.
func preference(into *string, of ...string) value {
	v := choice(into, of...)
	strict := v.set
	v.set = func(t string) string {
		want := strict(t)
		*into = t
		return want
	}
	return v
}

// prefixes is a list of networks separated by commas; those that are none are left out.
func prefixes(into *[]netip.Prefix) value {
	return value{kind: "networks", set: func(t string) string {
		*into = nil
		var bad []string
		for item := range strings.SplitSeq(t, ",") {
			item = strings.TrimSpace(item)
			prefix, err := netip.ParsePrefix(item)
			switch {
			case err == nil:
				*into = append(*into, prefix.Masked())
			case item != "":
				bad = append(bad, item)
			}
		}
		if len(bad) > 0 {
			return "want networks such as 10.0.0.0/8, separated by commas; left out: " + strings.Join(bad, ", ")
		}
		return ""
	}}
}

// unread is accepted and has no effect.
func unread() value { return value{kind: "text", set: func(string) string { return "" }} }
