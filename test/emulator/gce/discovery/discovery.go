// Package discovery holds the part of the Compute API's discovery document that the emulator
// serves, and checks requests against it: unknown fields, types, enums, patterns, required and
// output-only fields. The document is a file of the module google.golang.org/api, whose version
// test/go.mod pins; `go test ./emulator/gce/discovery -update` cuts it down again.
package discovery

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed compute.json
var trimmed []byte

// Document is what of the description is emulated.
type Document struct {
	// Revision is the document's date, Module the version of google.golang.org/api it is from.
	Revision string             `json:"revision"`
	Module   string             `json:"module"`
	Methods  map[string]*Method `json:"methods"`
	Schemas  map[string]*Schema `json:"schemas"`
}

// Method is one method of the API; its key is "collection.verb", as in "instances.get".
type Method struct {
	HTTPMethod string `json:"httpMethod"`
	// Path is relative to the API's root, as in "projects/{project}/zones/{zone}".
	Path string `json:"path"`
	// Parameters are those of the path and the query.
	Parameters map[string]*Schema `json:"parameters"`
	// Request and Response name schemas; Request is empty without a body.
	Request  string `json:"request,omitempty"`
	Response string `json:"response"`
}

// Schema describes a value, and as a parameter also where it is.
type Schema struct {
	Type       string             `json:"type,omitempty"`
	Format     string             `json:"format,omitempty"`
	Pattern    string             `json:"pattern,omitempty"`
	Ref        string             `json:"$ref,omitempty"`
	Default    string             `json:"default,omitempty"`
	Enum       []string           `json:"enum,omitempty"`
	Minimum    string             `json:"minimum,omitempty"`
	Maximum    string             `json:"maximum,omitempty"`
	Items      *Schema            `json:"items,omitempty"`
	Values     *Schema            `json:"additionalProperties,omitempty"`
	Properties map[string]*Schema `json:"properties,omitempty"`
	// OutputOnly is readOnly, or a description that begins with "[Output Only]".
	OutputOnly bool `json:"outputOnly,omitempty"`
	// Required names the methods whose body must have the field.
	Required []string `json:"required,omitempty"`
	// Optimistic marks a fingerprint without which the description promises 412.
	Optimistic bool `json:"optimistic,omitempty"`
	// Location is "path" or "query", of a parameter.
	Location string `json:"location,omitempty"`
}

// Load returns the document. It is shared and must not be changed.
var Load = sync.OnceValue(func() *Document {
	document := &Document{}
	if err := json.Unmarshal(trimmed, document); err != nil {
		panic(fmt.Sprintf("discovery: compute.json: %v", err)) // checked in: a bug
	}
	return document
})
