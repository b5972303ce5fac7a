package chart

import "github.com/spf13/pflag"

// shapeEntry is a value in files/shape.yaml: what the templates compare given values with, and
// what they go on with where a value is missing or wrong. Helm would compare them with
// values.schema.json, but it tells those mistakes alone, before any template can tell the rest.
type shapeEntry struct {
	Fields  map[string]shapeEntry `json:"fields,omitempty"`
	Type    Type                  `json:"type,omitempty"`
	Default any                   `json:"default,omitempty"`
	Choices []string              `json:"choices,omitempty"`
	Least   float64               `json:"least,omitempty"`
	Most    float64               `json:"most,omitempty"`
	Pattern string                `json:"pattern,omitempty"`
	Want    string                `json:"want,omitempty"`
	OneOf   []string              `json:"oneOf,omitempty"`
}

func shape(values []Value) map[string]shapeEntry {
	fields := map[string]shapeEntry{}
	for _, v := range values {
		if v.Type == Group {
			fields[v.Name] = shapeEntry{Fields: shape(v.Fields)}
			continue
		}
		e := shapeEntry{Type: v.Type, Default: v.Default, Choices: v.Enum, Least: v.Min, Most: v.Max, Want: v.Want}
		// Those of flags are compared with files/flags.yaml, after a text was made of them.
		if v.Flag == "" && v.Want != "" {
			e.Pattern = v.Pattern
		}
		if len(v.Fields) > 0 { // a record's need not be there: they have no defaults
			e.Fields, e.OneOf = shape(v.Fields), v.OneOf
		}
		fields[v.Name] = e
	}
	return fields
}

// flagNames are all flags of the program, each with what its value has to be, "" for a text.
func flagNames(flags *pflag.FlagSet) map[string]string {
	kinds := map[string]string{
		"bool": "boolean", "duration": "duration", "float32": "number", "float64": "number",
		"int": "integer", "int32": "integer", "int64": "integer", "Level": "integer",
	}
	names := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) { names[f.Name] = kinds[f.Value.Type()] })
	return names
}

// described returns a schema without what could refuse a value: names, descriptions and defaults,
// for editors and catalogues.
func described(schema map[string]any) map[string]any {
	kept := map[string]any{}
	for _, key := range []string{"$schema", "title", "description", "default"} {
		if value, there := schema[key]; there {
			kept[key] = value
		}
	}
	if choices, there := schema["enum"]; there {
		kept["examples"] = choices
	}
	if items, ok := schema["items"].(map[string]any); ok && items["properties"] != nil {
		kept["items"] = described(items)
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return kept
	}
	all := map[string]any{}
	for name, property := range properties {
		if inner, ok := property.(map[string]any); ok {
			all[name] = described(inner)
		}
	}
	kept["properties"] = all
	return kept
}
