package chart

// Type is the type of a value.
type Type string

// Types of values.
const (
	Text     Type = "string"
	Integer  Type = "integer"
	Number   Type = "number"
	Bool     Type = "boolean"
	Duration Type = "duration"
	// Texts is a list of texts.
	Texts Type = "strings"
	// TextMap maps names to texts: labels and annotations.
	TextMap Type = "map"
	// Group is a closed object, see Value.Fields.
	Group Type = "group"
	// Object and List are parts of Kubernetes objects; the API server knows their types.
	Object Type = "object"
	List   Type = "list"
	// Record is an object of the Fields, none of which has to be there, and Records a list of such.
	Record  Type = "record"
	Records Type = "records"
	// Count is a number or a percentage.
	Count Type = "count"
)

// Value is one node of the chart's values.
type Value struct {
	Name string
	// Section begins a section of values.yaml and the README.
	Section string
	Doc     string
	// Type is Text when empty; with Fields it is Group.
	Type    Type
	Default any
	// Flag is the flag the value is passed as. Type, Default and Doc are the flag's where
	// they are not given.
	Flag string
	// Always passes the flag even when the value is the flag's default.
	Always bool
	Enum   []string
	// Pattern is what a text must match, in the syntax of JSON schema. Want completes "use …" for
	// one that does not.
	Pattern, Want string
	// Empty says that "" is a value of its own and not the flag's default.
	Empty bool
	// Min and Max bound numbers; both zero means no bounds. Min of a duration is in seconds.
	Min, Max float64
	Fields   []Value
	// OneOf are the Fields of which a record has exactly one, where it has any.
	OneOf []string
}

// bounded reports whether it is a number with bounds.
func (v Value) bounded() bool { return v.Type != Duration && (v.Min != 0 || v.Max != 0) }

// walk calls f for every value that is no group, with its path.
func walk(values []Value, prefix string, f func(path string, v Value)) {
	for _, v := range values {
		path := prefix + v.Name
		if v.Type == Group {
			walk(v.Fields, path+".", f)
			continue
		}
		f(path, v)
	}
}

// zero is the default of a type when none is declared.
func zero(t Type) any {
	switch t {
	case Integer:
		return 0
	case Number:
		return 0.0
	case Bool:
		return false
	case Texts, List, Records:
		return []any{}
	case TextMap, Object, Record:
		return map[string]any{}
	default:
		return ""
	}
}
