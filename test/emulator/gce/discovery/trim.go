package discovery

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// raw is the part of a discovery document that is read.
type raw struct {
	Revision  string `json:"revision"`
	Resources map[string]struct {
		Methods map[string]rawMethod `json:"methods"`
	} `json:"resources"`
	Schemas map[string]*rawSchema `json:"schemas"`
}

type rawMethod struct {
	HTTPMethod string                `json:"httpMethod"`
	Path       string                `json:"path"`
	Parameters map[string]*rawSchema `json:"parameters"`
	Request    struct {
		Ref string `json:"$ref"`
	} `json:"request"`
	Response struct {
		Ref string `json:"$ref"`
	} `json:"response"`
}

type rawSchema struct {
	Schema
	// Required is a flag of parameters: those of the path, all of which a route needs anyway.
	Required    bool                  `json:"required"`
	Description string                `json:"description"`
	ReadOnly    bool                  `json:"readOnly"`
	Items       *rawSchema            `json:"items"`
	Values      *rawSchema            `json:"additionalProperties"`
	Properties  map[string]*rawSchema `json:"properties"`
	Annotations struct {
		Required []string `json:"required"`
	} `json:"annotations"`
}

// Trim cuts a discovery document down to the named methods and the schemas that they reach.
func Trim(full []byte, module string, methods []string) (*Document, error) {
	var document raw
	if err := json.Unmarshal(full, &document); err != nil {
		return nil, fmt.Errorf("reading the discovery document: %w", err)
	}
	out := &Document{Revision: document.Revision, Module: module, Methods: map[string]*Method{}, Schemas: map[string]*Schema{}}
	for _, name := range methods {
		collection, verb, _ := strings.Cut(name, ".")
		m, ok := document.Resources[collection].Methods[verb]
		if !ok {
			return nil, fmt.Errorf("the document has no method %s", name)
		}
		method := &Method{HTTPMethod: m.HTTPMethod, Path: m.Path, Request: m.Request.Ref, Response: m.Response.Ref, Parameters: map[string]*Schema{}}
		for parameter, schema := range m.Parameters {
			method.Parameters[parameter] = schema.trim()
		}
		out.Methods[name] = method
		for _, schema := range []string{m.Request.Ref, m.Response.Ref} {
			if err := out.reach(document.Schemas, schema); err != nil {
				return nil, fmt.Errorf("method %s: %w", name, err)
			}
		}
	}
	return out, nil
}

// reach adds a schema and those it refers to.
func (d *Document) reach(schemas map[string]*rawSchema, name string) error {
	if name == "" || d.Schemas[name] != nil {
		return nil
	}
	schema, ok := schemas[name]
	if !ok {
		return fmt.Errorf("the document has no schema %s", name)
	}
	d.Schemas[name] = schema.trim()
	for _, ref := range schema.refs(nil) {
		if err := d.reach(schemas, ref); err != nil {
			return err
		}
	}
	return nil
}

func (s *rawSchema) refs(found []string) []string {
	if s == nil {
		return found
	}
	if s.Ref != "" {
		found = append(found, s.Ref)
	}
	for _, property := range s.Properties {
		found = property.refs(found)
	}
	return s.Values.refs(s.Items.refs(found))
}

var (
	outputOnly = regexp.MustCompile(`(?i)^\[?output only\b`)
	optimistic = regexp.MustCompile(`You must always provide an up-to-date fingerprint|An up-to-date\s+fingerprint must be provided`)
)

func (s *rawSchema) trim() *Schema {
	if s == nil {
		return nil
	}
	out := s.Schema
	description := strings.TrimSpace(s.Description)
	out.OutputOnly = s.ReadOnly || outputOnly.MatchString(description)
	out.Optimistic = out.Format == "byte" && optimistic.MatchString(strings.Join(strings.Fields(description), " "))
	out.Required = slices.Clone(s.Annotations.Required)
	for i, name := range out.Required {
		out.Required[i] = strings.TrimPrefix(name, "compute.")
	}
	out.Items, out.Values, out.Properties = s.Items.trim(), s.Values.trim(), nil
	if len(s.Properties) > 0 {
		out.Properties = make(map[string]*Schema, len(s.Properties))
		for name, property := range s.Properties {
			out.Properties[name] = property.trim()
		}
	}
	return &out
}
