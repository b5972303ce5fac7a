package cloud

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Setting declares one environment variable a provider reads. A Secret may also be given
// as a file: Name + "_FILE" holds the path, and the file is read again when it changes.
type Setting struct {
	Name     string
	Default  string
	Required bool
	Secret   bool
	Doc      string
	// Value is the path of the setting below the provider's block in the chart's values:
	// "region", "firewall.name". A setting without one can be set as extraEnv only.
	Value string
	// Key is the key of a Secret setting in Descriptor.Secret.
	Key string
	// Public says that a Secret setting is no secret: upstream's Secret has it beside those that are.
	Public bool
	// Needs is the name of another Secret setting without which this one is of no use, or "".
	Needs string
	// Type is the type of the chart's value, SettingText by default.
	Type SettingType
	// Enum are the allowed texts, any when empty.
	Enum []string
}

// SettingType is the type a setting has in the chart's values. The variable is always text.
type SettingType string

// Types of settings.
const (
	SettingText   SettingType = ""
	SettingNumber SettingType = "number"
	SettingBool   SettingType = "boolean"
	// SettingList is a list of texts, which the variable joins with commas.
	SettingList SettingType = "list"
)

// SettingReader reads the values of Settings, and collects everything that is wrong with them, so that the
// user is told of all at once. An empty value is not wrong: it is that of a Setting which is not set.
type SettingReader struct {
	// Lookup is Config.Lookup, and Secret Config.Secret, which only secrets need.
	Lookup func(name string) string
	Secret func(name string) (string, error)

	problems []error
}

// Refuse notes that a value is wrong.
func (r *SettingReader) Refuse(name, value, want string) {
	r.Add(&Invalid{Field: name, Value: value, Want: want})
}

// Add notes a problem; nil is none.
func (r *SettingReader) Add(problem error) { r.problems = append(r.problems, problem) }

// Err returns all problems, joined.
func (r *SettingReader) Err() error { return errors.Join(r.problems...) }

// Text returns a text without the white space around it.
func (r *SettingReader) Text(name string) string { return strings.TrimSpace(r.Lookup(name)) }

// Bool returns whether a Setting is on.
func (r *SettingReader) Bool(name string) bool {
	text := r.Text(name)
	on, err := strconv.ParseBool(text)
	if err != nil && text != "" {
		r.Refuse(name, text, "want true or false")
	}
	return on
}

// Positive returns a number above 0, 0 when the Setting is not set.
func (r *SettingReader) Positive(name, want string) float64 {
	text := r.Text(name)
	if text == "" {
		return 0
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number > 0) {
		r.Refuse(name, text, want)
		return 0
	}
	return number
}

// List returns texts that commas separate, in their order.
func (r *SettingReader) List(name string) []string {
	var list []string
	for text := range strings.SplitSeq(r.Lookup(name), ",") {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// URL returns an absolute URL, nil when the Setting is not set or wrong.
func (r *SettingReader) URL(name string) *url.URL {
	text := r.Text(name)
	if text == "" {
		return nil
	}
	u, err := ParseURL(name, text)
	if err != nil {
		r.Add(err)
		return nil
	}
	return u
}

// BaseURL returns the absolute URL of a Setting with a default, to which paths can be joined. nil is wrong.
func (r *SettingReader) BaseURL(name string) *url.URL {
	u := r.URL(name)
	if r.Text(name) == "" {
		r.Refuse(name, "", "want an absolute http or https URL")
	}
	if u != nil && u.Path == "" {
		u.Path = "/" // so that what is joined to it is absolute
	}
	return u
}

// SecretText returns a secret without the white space around it.
func (r *SettingReader) SecretText(name string) string {
	text, err := r.Secret(name)
	if err != nil {
		r.Add(fmt.Errorf("reading %s: %w", name, err))
	}
	return strings.TrimSpace(text)
}

// ParseURL reads an absolute http or https URL that a user gave. The error names the field and not the
// value: a URL may hold a password.
func ParseURL(field, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &Invalid{Field: field, Value: "…", Want: "want an absolute http or https URL such as https://api.example.com"}
	}
	return u, nil
}
