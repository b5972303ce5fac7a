package discovery

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// Cause says what a value breaks.
type Cause string

// The causes.
const (
	Unknown  Cause = "unknown field"
	Type     Cause = "wrong type"
	Value    Cause = "value not allowed"
	Output   Cause = "output-only field"
	Required Cause = "required field left out"
)

// Problem is one thing that is wrong with a request.
type Problem struct {
	Cause Cause
	// Field is the path of the field, as in "resource.allowed[0].ports".
	Field   string
	Message string
}

// Error makes a problem an error.
func (p *Problem) Error() string { return p.Message }

// Check checks the body of a method. Stored is what the object has now, nil when it is made: a
// field that only the API writes must be left out, or be as it is. Null stands for a field left out.
func (d *Document) Check(method string, body, stored map[string]any) *Problem {
	m := d.Methods[method]
	if problem := d.object("resource", d.Schemas[m.Request], body, stored); problem != nil {
		return problem
	}
	for _, name := range slices.Sorted(maps.Keys(d.Schemas[m.Request].Properties)) {
		if slices.Contains(d.Schemas[m.Request].Properties[name].Required, method) && body[name] == nil {
			return &Problem{Required, "resource." + name, fmt.Sprintf("Required field 'resource.%s' not specified", name)}
		}
	}
	return nil
}

// Parameter checks one value of a parameter of a method.
func (d *Document) Parameter(method, name, value string) *Problem {
	p := d.Methods[method].Parameters[name]
	if p == nil {
		return &Problem{Unknown, name, fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot bind query parameter.", name)}
	}
	invalid := &Problem{Value, name, fmt.Sprintf("Invalid value for field '%s': '%s'. %s", name, value, p.wants())}
	switch {
	case p.Pattern != "" && !matches(p.Pattern, value), len(p.Enum) > 0 && !slices.Contains(p.Enum, value):
		return invalid
	case p.Type == "boolean" && value != "true" && value != "false":
		return invalid
	case p.Type == "integer":
		number, err := strconv.ParseUint(value, 10, 32)
		low, high := p.bounds()
		if err != nil || number < low || number > high {
			return invalid
		}
	}
	return nil
}

func (s *Schema) bounds() (low, high uint64) {
	low, _ = strconv.ParseUint(s.Minimum, 10, 32)
	high, err := strconv.ParseUint(s.Maximum, 10, 32)
	if err != nil {
		high = math.MaxUint32
	}
	return low, high
}

func (s *Schema) wants() string {
	switch {
	case s.Pattern != "":
		return "Must be a match of regex '" + s.Pattern + "'"
	case s.Maximum != "":
		return "Must be between " + s.Minimum + " and " + s.Maximum
	}
	return "Must be a " + s.Type
}

func (d *Document) object(path string, schema *Schema, value map[string]any, stored any) *Problem {
	known, _ := stored.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(value)) {
		field, property := path+"."+name, schema.Properties[name]
		switch {
		case property == nil:
			return &Problem{Unknown, field, fmt.Sprintf("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", name, path)}
		case value[name] == nil:
			continue
		case property.OutputOnly:
			if !equal(value[name], known[name]) && !equal(value[name], property.Default) {
				return &Problem{Output, field, fmt.Sprintf("Invalid value for field '%s': the field is output only.", field)}
			}
			continue
		}
		if problem := d.value(field, property, value[name], known[name]); problem != nil {
			return problem
		}
	}
	return nil
}

func (d *Document) value(path string, schema *Schema, value, stored any) *Problem {
	if schema.Ref != "" {
		schema = d.Schemas[schema.Ref]
	}
	wrong := func() *Problem {
		return &Problem{Type, path, fmt.Sprintf("Invalid value at '%s' (%s %s), %v", path, schema.Type, schema.Format, value)}
	}
	switch schema.Type {
	case "object":
		object, ok := value.(map[string]any)
		if !ok {
			return wrong()
		}
		if schema.Values == nil {
			return d.object(path, schema, object, stored)
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if problem := d.value(path+"."+key, schema.Values, object[key], nil); problem != nil {
				return problem
			}
		}
	case "array":
		list, ok := value.([]any)
		if !ok {
			return wrong()
		}
		old, _ := stored.([]any)
		for i, element := range list {
			var was any
			if i < len(old) {
				was = old[i]
			}
			if problem := d.value(path+"["+strconv.Itoa(i)+"]", schema.Items, element, was); problem != nil {
				return problem
			}
		}
	case "any":
	default:
		if !schema.scalar(value) {
			return wrong()
		}
		return schema.text(path, value)
	}
	return nil
}

// text checks what a string may say.
func (s *Schema) text(path string, value any) *Problem {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, text) {
		return &Problem{Value, path, fmt.Sprintf("Invalid value for field '%s': '%s'. Must be one of %v", path, text, s.Enum)}
	}
	if s.Pattern != "" && !matches(s.Pattern, text) {
		return &Problem{Value, path, fmt.Sprintf("Invalid value for field '%s': '%s'. %s", path, text, s.wants())}
	}
	return nil
}

// scalar says whether a value has the type. Numbers of 64 bits are strings in JSON; the API reads
// numbers too.
func (s *Schema) scalar(value any) bool {
	text, isText := value.(string)
	if number, ok := value.(json.Number); ok {
		text = number.String()
	}
	switch s.Type {
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "integer":
		return !isText && s.integer(text)
	case "number":
		_, err := strconv.ParseFloat(text, 64)
		return !isText && err == nil
	case "string":
		switch s.Format {
		case "int64", "uint64":
			return text != "" && s.integer(text)
		case "byte":
			_, err := base64.StdEncoding.DecodeString(text)
			_, urlErr := base64.URLEncoding.DecodeString(text)
			return isText && (err == nil || urlErr == nil)
		}
		return isText
	}
	return false
}

func (s *Schema) integer(text string) bool {
	var err error
	switch s.Format {
	case "uint32":
		_, err = strconv.ParseUint(text, 10, 32)
	case "uint64":
		_, err = strconv.ParseUint(text, 10, 64)
	case "int64":
		_, err = strconv.ParseInt(text, 10, 64)
	default:
		_, err = strconv.ParseInt(text, 10, 32)
	}
	return err == nil
}

var patterns sync.Map // pattern → *regexp.Regexp

// matches says whether the whole text matches; discovery's patterns are not anchored.
func matches(pattern, text string) bool {
	compiled, ok := patterns.Load(pattern)
	if !ok {
		compiled, _ = patterns.LoadOrStore(pattern, regexp.MustCompile(`^(?:`+pattern+`)$`))
	}
	return compiled.(*regexp.Regexp).MatchString(text)
}

// equal compares decoded JSON; numbers by how they print, as 64-bit ones may be text.
func equal(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	scalar := func(v any) bool {
		switch v.(type) {
		case string, json.Number, int, int64, float64, bool:
			return true
		}
		return false
	}
	return scalar(a) && scalar(b) && fmt.Sprint(a) == fmt.Sprint(b)
}
