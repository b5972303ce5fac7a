package annotation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Set is the keys a provider understands, in the order of its documentation.
type Set []Key

// Problem is one thing wrong with an annotation.
type Problem struct {
	Key   string
	Value string
	// Want says what would be right.
	Want string
	// Warning says that the Service is served in spite of it.
	Warning bool
}

func (p Problem) Error() string {
	return fmt.Sprintf("annotation %s: %q is not valid: want %s", p.Key, p.Value, p.Want)
}

// Parse validates all annotations of a Service against the set. It returns the canonical
// values of what was given, and every problem, sorted by key. Annotations of other
// programs are ignored; an unknown key under a prefix of the set is a warning that names
// the nearest known one.
func (s Set) Parse(annotations map[string]string) (Values, []Problem) {
	values := Values{}
	var problems []Problem
	for _, key := range s {
		name, raw, given := key.pick(annotations, &problems)
		if !given {
			continue
		}
		value, ok := key.canonical(raw)
		if ok {
			values[key.Name] = value
			continue
		}
		problems = append(problems, Problem{Key: name, Value: raw, Want: key.want(), Warning: key.Lenient})
	}
	problems = append(problems, s.unknown(annotations)...)
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Key, b.Key) })
	return values, problems
}

// pick returns the spelling that counts: the first one given. A later one that disagrees is
// a warning.
func (k Key) pick(annotations map[string]string, problems *[]Problem) (name, value string, given bool) {
	for _, spelling := range k.Spellings() {
		other, ok := annotations[spelling]
		if !ok {
			continue
		}
		if given && other != value {
			*problems = append(*problems, Problem{
				Key: spelling, Value: other, Warning: true,
				Want: fmt.Sprintf("the same as %s, which wins (%q)", name, value),
			})
		}
		if !given {
			name, value, given = spelling, other, true
		}
	}
	return name, value, given
}

// canonical validates one value and returns it in canonical form.
func (k Key) canonical(raw string) (string, bool) {
	if k.Type == TypePresence {
		return "true", true
	}
	value := strings.TrimSpace(raw)
	if value == "" {
		return k.Default, true
	}
	value, ok := k.typed(value)
	if ok && k.Check != nil {
		return k.Check(value)
	}
	return value, ok
}

func (k Key) typed(value string) (string, bool) {
	switch k.Type {
	case TypeBool:
		b, err := strconv.ParseBool(value)
		return strconv.FormatBool(b), err == nil
	case TypeInt:
		n, err := strconv.Atoi(value)
		return strconv.Itoa(n), err == nil && k.inRange(n)
	case TypeEnum:
		return value, slices.Contains(k.Enum, value)
	case TypeDuration:
		d, err := time.ParseDuration(value)
		return d.String(), err == nil && d >= 0
	case TypeList:
		return strings.Join(split(value), ","), true
	case TypePorts:
		return canonicalPorts(value)
	default:
		return value, true
	}
}

func (k Key) inRange(n int) bool {
	return (k.Min == 0 && k.Max == 0) || (n >= k.Min && n <= k.Max)
}

func canonicalPorts(value string) (string, bool) {
	items := split(value)
	for i, item := range items {
		n, err := strconv.Atoi(item)
		if err != nil || n < 1 || n > 65535 {
			return "", false
		}
		items[i] = strconv.Itoa(n)
	}
	return strings.Join(items, ","), true
}

// want describes the valid values.
func (k Key) want() string {
	if k.Want != "" {
		return k.Want
	}
	switch k.Type {
	case TypeBool:
		return `"true" or "false"`
	case TypeInt:
		if k.Min == 0 && k.Max == 0 {
			return "a whole number"
		}
		return fmt.Sprintf("a whole number between %d and %d", k.Min, k.Max)
	case TypeEnum:
		return "one of " + strings.Join(k.Enum, ", ")
	case TypeDuration:
		return `a duration such as "30s"`
	case TypePorts:
		return `port numbers separated by commas, such as "80,443"`
	default:
		return "a value of the form the documentation describes"
	}
}
