package cloudconf

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/gcfg.v1/types"
)

// Value is where the text of a key goes.
type Value struct {
	// Kind says for people what the value is.
	Kind string
	// Secret texts are never shown.
	Secret bool
	// Alone is what a key without "=" means, for booleans and lists only.
	Alone func()
	// Set returns what would have been right, or "" when the text is.
	Set func(text string) (want string)
}

// Text is any text.
func Text(into *string) Value {
	return Value{Kind: "text", Set: func(t string) string { *into = t; return "" }}
}

// Secret is a text that is never shown.
func Secret(into *string) Value {
	v := Text(into)
	v.Secret = true
	return v
}

// Identifier is the id of an object of the cloud. Ids become part of URLs, so one must not
// be able to lead to another object.
func Identifier(into *string) Value {
	return Value{Kind: "id", Set: func(t string) string {
		if t != "" && !IsIdentifier(t) {
			return "want an id of letters, digits, '-' and '_'"
		}
		*into = t
		return ""
	}}
}

// IsIdentifier reports whether a text can be an id: letters, digits, '-' and '_', at most 255.
func IsIdentifier(s string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return s != "" && len(s) <= 255 && strings.Trim(s, allowed) == ""
}

// Boolean takes what gcfg takes: true, yes, on, 1 and their opposites. A key alone is true.
func Boolean(into *bool) Value {
	return Value{Kind: "bool", Alone: func() { *into = true }, Set: func(t string) string {
		b, err := types.ParseBool(t)
		if err != nil {
			return "want true or false"
		}
		*into = b
		return ""
	}}
}

// Exactly is true for the text "true" alone, as upstream reads a key it takes for a text.
func Exactly(into *bool) Value {
	return Value{Kind: "bool", Set: func(t string) string {
		*into = t == "true"
		if t != "" && t != "true" && t != "false" {
			return "want true or false; anything but true is taken for false"
		}
		return ""
	}}
}

// Number is a whole number from least to most.
func Number(into *int, least, most int) Value {
	return Value{Kind: "number", Set: func(t string) string {
		n, err := strconv.Atoi(t)
		if err != nil || n < least || n > most {
			return "want a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)
		}
		*into = n
		return ""
	}}
}

// Duration takes seconds without a unit too, of which upstream's documents speak.
func Duration(into *time.Duration) Value {
	return Value{Kind: "duration", Set: func(t string) string {
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

// List collects the texts of all lines with the key. A key alone empties it.
func List(into *[]string) Value {
	return Value{Kind: "list", Alone: func() { *into = nil }, Set: func(t string) string {
		*into = append(*into, t)
		return ""
	}}
}

// Choice is one of the texts, or none.
func Choice(into *string, of ...string) Value {
	return Value{Kind: strings.Join(of, ", "), Set: func(t string) string {
		if t != "" && !slices.Contains(of, t) {
			return "want " + strings.Join(of, " or ")
		}
		*into = t
		return ""
	}}
}

// Preference is a choice whose other values are taken too.
func Preference(into *string, of ...string) Value {
	v := Choice(into, of...)
	strict := v.Set
	v.Set = func(t string) string {
		want := strict(t)
		*into = t
		return want
	}
	return v
}

// Prefixes is a list of networks separated by commas; those that are none are left out.
func Prefixes(into *[]netip.Prefix) Value {
	return Value{Kind: "networks", Set: func(t string) string {
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

// Unread is accepted and has no effect.
func Unread() Value { return Value{Kind: "text", Set: func(string) string { return "" }} }
