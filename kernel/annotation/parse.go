package annotation

import (
	"cmp"
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
	// Idle says why the key has no effect, "" where its value is what is wrong.
	Idle string
	// Unknown says that there is no such key.
	Unknown bool
	// CountsAs is the value that counts in the place of a bad one, "" for the default, see Key.BadCounts.
	CountsAs string
}

// Why says what is wrong: that the key has no effect, or what its value had to be.
func (p Problem) Why() string {
	if p.Idle != "" {
		return p.Idle
	}
	return "want " + p.Want
}

func (p Problem) Error() string {
	switch {
	case p.Idle != "":
		return fmt.Sprintf("annotation %s: it has no effect: %s", p.Key, p.Idle)
	case p.Unknown:
		return fmt.Sprintf("annotation %s is not known: want %s", p.Key, p.Want)
	}
	text := fmt.Sprintf("annotation %s: %q is not valid: want %s", p.Key, p.Value, p.Want)
	if p.CountsAs != "" {
		text += "; until then it counts as " + p.CountsAs
	}
	return text
}

// Parse validates all annotations of a Service against the set. It returns the canonical
// values of what was given, and every problem, sorted by key.
//
//	annotation                                  outcome
//	valid                                       value
//	empty, and not TypePresence                 none: as if it were absent
//	not valid                                   problem, a warning where Lenient
//	two spellings, same meaning                 value
//	two spellings, different meanings           value of the first that is not empty, and a warning;
//	                                            of any of them that has Prevails
//	valid, and it yields to one that is given   none, and a warning
//	portable key that is Impossible             none, and a warning
//	portable key that the set does not have     warning: not possible on this cloud
//	unknown key under a prefix of the set       warning that names the nearest known key
//	any other key                               none: it belongs to another program
func (s Set) Parse(annotations map[string]string) (Values, []Problem) {
	values := Values{}
	var problems []Problem
	portably := map[string]bool{}
	for _, key := range s {
		name, given := key.pick(annotations, &problems)
		if !given {
			continue
		}
		portably[key.Name] = strings.TrimSpace(annotations[key.Name]) != ""
		value, ok := key.canonical(name, annotations[name])
		switch {
		case key.Impossible != "" && name == key.Name:
			problems = append(problems, Problem{Key: name, Value: annotations[name], Warning: true, Idle: key.Impossible})
		case !ok:
			problems = append(problems, Problem{Key: name, Value: annotations[name], Want: key.wantInPlaceOf(annotations[name]), Warning: key.Lenient, CountsAs: key.BadCounts})
			if key.BadCounts != "" {
				values[key.Name] = key.BadCounts
			}
		case value != "" || key.Blank:
			values[key.Name] = value
		}
	}
	problems = slices.Concat(problems, s.yield(values), s.enable(values, portably), s.unknown(annotations))
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Key, b.Key) })
	return values, problems
}

// HandOver reports whether the values hand the Service over to another controller.
func (s Set) HandOver(values Values) bool {
	return slices.ContainsFunc(s, func(k Key) bool { return slices.Contains(k.OtherController, values[k.Name]) })
}

// pick returns the spelling that counts: the one with Prevails, or else the first one given. Another one
// that means something else is a warning.
func (k Key) pick(annotations map[string]string, problems *[]Problem) (name string, given bool) {
	spellings := slices.DeleteFunc(k.Spellings(), func(s string) bool { return !k.given(annotations, s) })
	if len(spellings) == 0 {
		return "", false
	}
	name = spellings[0]
	for _, spelling := range spellings {
		if value, ok := k.canonical(spelling, annotations[spelling]); ok && k.Prevails != "" && value == k.Prevails {
			name = spelling
		}
	}
	for _, spelling := range spellings {
		value := annotations[spelling]
		if spelling != name && !k.same(spelling, value, name, annotations[name]) {
			*problems = append(*problems, Problem{
				Key: spelling, Value: value, Warning: true,
				Want: fmt.Sprintf("the same as %s, which wins (%q)", name, annotations[name]),
			})
		}
	}
	return name, true
}

// given reports whether a spelling is there and says something.
func (k Key) given(annotations map[string]string, spelling string) bool {
	value, ok := annotations[spelling]
	return ok && (k.Blank || k.Type == TypePresence || strings.TrimSpace(value) != "")
}

// same reports whether the values of two spellings mean the same.
func (k Key) same(first, a, second, b string) bool {
	x, xok := k.canonical(first, a)
	y, yok := k.canonical(second, b)
	return a == b && k.Aliased == nil || xok && yok && x == y
}

// canonical validates the value of one spelling and returns it in canonical form, "" for an empty one.
func (k Key) canonical(spelling, raw string) (string, bool) {
	if k.Type == TypePresence {
		return "true", true
	}
	value := strings.TrimSpace(raw)
	if k.items(value) > k.mostItems() {
		return "", false
	}
	if k.PerPort {
		return canonicalByPort(value, func(part string) (string, bool) { return k.plain(spelling, part) })
	}
	return k.plain(spelling, value)
}

// plain is canonical for a value that is the same for all ports.
func (k Key) plain(spelling, value string) (string, bool) {
	if k.Aliased != nil && spelling != k.Name && value != "" {
		return k.Aliased(value)
	}
	value, ok := k.typed(value)
	if ok && value != "" && k.Check != nil {
		return k.Check(value)
	}
	return value, ok
}

func (k Key) typed(value string) (string, bool) {
	if value == "" {
		return "", true
	}
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
		seconds, ok := wholeSeconds(value)
		return strconv.Itoa(seconds), ok && seconds >= 0 && k.inRange(seconds)
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

// wholeSeconds reads a bare number of seconds, or a duration as Go writes it.
func wholeSeconds(value string) (int, bool) {
	if seconds, err := strconv.Atoi(value); err == nil {
		return seconds, true
	}
	d, err := time.ParseDuration(value)
	return int(d / time.Second), err == nil && d%time.Second == 0
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

// mostItems is how many items a list has at the most: each may cost a message, or a request.
func (k Key) mostItems() int { return cmp.Or(k.MostItems, 1000) }

// items is how many items the value of a list has, 0 for other values.
func (k Key) items(value string) int {
	if k.Type != TypeList && k.Type != TypePorts {
		return 0
	}
	return len(split(value))
}

// wantInPlaceOf describes the valid values to somebody who wrote another one.
func (k Key) wantInPlaceOf(value string) string {
	if n := k.items(value); n > k.mostItems() {
		return fmt.Sprintf("at most %d items, and not %d", k.mostItems(), n)
	}
	return k.want()
}

// want describes the valid values.
func (k Key) want() string {
	if k.PerPort {
		k.PerPort = false
		return k.want() + PerPortForm
	}
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
		if k.Min == 0 && k.Max == 0 {
			return `whole seconds, such as "30" or "30s"`
		}
		return fmt.Sprintf(`whole seconds between %d and %d, such as "%d" or "%ds"`, k.Min, k.Max, k.Min, k.Min)
	case TypePorts:
		return `port numbers separated by commas, such as "80,443"`
	default:
		return "a value of the form the documentation describes"
	}
}
