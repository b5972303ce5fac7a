package gce

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// fields are the fields of an object as decoded JSON. Those that are stored are never changed.
type fields = map[string]any

// clone copies decoded JSON; null is left out, as it stands for a field left out.
func clone(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(fields, len(v))
		for name, element := range v {
			if element != nil {
				out[name] = clone(element)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = clone(element)
		}
		return out
	}
	return value
}

// merge applies a JSON merge patch to a copy.
func merge(target, patch fields) fields {
	out := clone(target).(fields)
	for name, value := range patch {
		object, isObject := value.(fields)
		old, wasObject := out[name].(fields)
		switch {
		case value == nil:
			delete(out, name)
		case isObject && wasObject:
			out[name] = merge(old, object)
		default:
			out[name] = clone(value)
		}
	}
	return out
}

// text returns a field that is text, "" without it. A name with dots leads into objects.
func text(f fields, path string) string {
	value, _ := at(f, path).(string)
	return value
}

// number returns a field that is a number, however it is encoded; 0 without it.
func number(f fields, path string) int64 {
	n, err := strconv.ParseInt(fmt.Sprint(at(f, path)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func boolean(f fields, path string) bool {
	value, _ := at(f, path).(bool)
	return value
}

func list(f fields, path string) []any {
	value, _ := at(f, path).([]any)
	return value
}

// texts returns a list of text.
func texts(f fields, path string) []string {
	var out []string
	for _, element := range list(f, path) {
		if value, ok := element.(string); ok {
			out = append(out, value)
		}
	}
	return out
}

// objects returns a list of objects.
func objects(f fields, path string) []fields {
	var out []fields
	for _, element := range list(f, path) {
		if value, ok := element.(fields); ok {
			out = append(out, value)
		}
	}
	return out
}

func at(f fields, path string) any {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return f[name]
	}
	inner, _ := f[name].(fields)
	return at(inner, rest)
}

// preset sets a field that is left out.
func preset(f fields, name string, value any) {
	if f[name] == nil {
		f[name] = value
	}
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, element := range list {
		out[i] = element
	}
	return out
}

// normal brings a value of ours to the form that decoded JSON has.
func normal(value any) any {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", value, err)) // our own values: a bug
	}
	out, err := decode(data)
	if err != nil {
		panic(err)
	}
	return out
}

// decode reads JSON and keeps numbers as they are written.
func decode(data []byte) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}
