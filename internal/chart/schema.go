package chart

// schema returns the JSON schema of the values. Every group is closed, and what a provider
// cannot do or must have is a condition on the provider.
func schema(values []Value, providers map[string]providerEntry) map[string]any {
	root := objectSchema(values)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "Values of multicloud-ccm"
	var conditions []any
	for _, name := range sorted(providers) {
		conditions = append(conditions, map[string]any{
			"if":   map[string]any{"properties": map[string]any{"provider": map[string]any{"const": name}}},
			"then": map[string]any{"properties": condition(name, providers)},
		})
	}
	root["allOf"] = conditions
	return root
}

// condition returns what holds when a provider is chosen: no routes on a cloud without, a value for every
// setting it requires, and no inventory of another one. Controllers that are on by default are left out on
// clouds that have nothing for them, by the templates.
func condition(name string, providers map[string]providerEntry) map[string]any {
	properties := map[string]any{}
	for other, o := range providers {
		if o.Inventory != nil && other != name {
			properties[other] = nested([]string{o.Inventory.Value}, map[string]any{"maxProperties": 0})
		}
	}
	p := providers[name]
	if !p.Capabilities[capRoutes] {
		properties["controllers"] = nested([]string{"route", "enabled"}, map[string]any{"const": false})
	}
	required := map[string]any{}
	for _, s := range p.Settings {
		if s.Required {
			merge(required, nested(split(s.Value), map[string]any{"minLength": 1}))
		}
	}
	if len(required) > 0 {
		properties[name] = required
	}
	return properties
}

// nested wraps a schema into objects along a path.
func nested(path []string, inner map[string]any) map[string]any {
	for i := len(path) - 1; i >= 0; i-- {
		inner = map[string]any{"properties": map[string]any{path[i]: inner}}
	}
	return inner
}

// merge adds the content of one tree of maps to another.
func merge(into, from map[string]any) {
	for key, value := range from {
		old, both := into[key].(map[string]any)
		if new, isMap := value.(map[string]any); both && isMap {
			merge(old, new)
			continue
		}
		into[key] = value
	}
}

func objectSchema(values []Value) map[string]any {
	properties := map[string]any{}
	for _, v := range values {
		properties[v.Name] = valueSchema(v)
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

// recordSchema returns the schema of an object whose fields need not be there, or of a list of such.
func recordSchema(v Value) map[string]any {
	s := objectSchema(v.Fields)
	var either []any
	for _, name := range v.OneOf {
		either = append(either, map[string]any{"required": []string{name}})
	}
	if len(either) > 0 {
		s["oneOf"] = either
	}
	if v.Type == Records {
		return map[string]any{"type": "array", "items": s}
	}
	return s
}

const durationPattern = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))*$`

func valueSchema(v Value) map[string]any {
	s := map[string]any{}
	switch v.Type {
	case Group:
		s = objectSchema(v.Fields)
	case Record, Records:
		s = recordSchema(v)
	case Duration:
		s["type"], s["pattern"] = "string", durationPattern
	case Number:
		// helm's --set makes a text of 0.25.
		s["type"], s["pattern"] = []string{"number", "string"}, `^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	case Texts:
		s["type"], s["items"] = "array", map[string]any{"type": "string"}
	case List:
		s["type"] = "array"
	case TextMap:
		s["type"], s["additionalProperties"] = "object", map[string]any{"type": []string{"string", "null"}}
	case Count:
		s["type"] = []string{"integer", "string"}
	default: // Object among them
		s["type"] = string(v.Type)
	}
	s["description"] = v.Doc
	if v.Type != Group {
		s["default"] = v.Default
	}
	if len(v.Enum) > 0 {
		s["enum"] = v.Enum
	}
	if v.Pattern != "" {
		s["pattern"] = v.Pattern
	}
	if v.bounded() {
		s["minimum"], s["maximum"] = v.Min, v.Max
	}
	return s
}
