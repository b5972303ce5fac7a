package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
)

// schema is a JSON schema, as far as our documents need it.
type schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Const       int                `json:"const,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Items       *schema            `json:"items,omitempty"`
}

// document is what a command prints as JSON.
type document struct {
	command, says string
	version       int
	// dir is the folder of the package and typeName the type in it, of whose declaration and comments the schema is made.
	dir, typeName string
}

var documents = []document{
	{"doctor", "What the checks of cluster, cloud and controller manager found.", doctor.ReportVersion, "internal/doctor", "Document"},
	{"explain", "What is known of one Node or Service, and why.", inspect.ExplanationVersion, "internal/inspect", "Explanation"},
}

// schemaFiles returns the schemas by path.
func schemaFiles(root string) (map[string]func(*bytes.Buffer), error) {
	files := map[string]func(*bytes.Buffer){}
	for _, d := range documents {
		text, err := d.schema(root)
		if err != nil {
			return nil, fmt.Errorf("making the schema of %s: %w", d.command, err)
		}
		files["docs/reference/"+d.command+".schema.json"] = func(b *bytes.Buffer) { b.Write(text) }
	}
	return files, nil
}

func (d document) schema(root string) ([]byte, error) {
	declared, err := readDeclarations(filepath.Join(root, d.dir))
	if err != nil {
		return nil, err
	}
	s, err := declared.named(d.typeName)
	if err != nil {
		return nil, err
	}
	s.Dialect, s.ID = "https://json-schema.org/draft/2020-12/schema", fmt.Sprintf("https://multicloud-ccm.io/schemas/%s/v%d", d.command, d.version)
	s.Title = "cloud-controller-manager " + d.command + " -o json"
	s.Description = d.says + " The version changes when a program that reads an older form could be misled; fields may be added without that."
	s.Properties["version"] = &schema{Const: d.version}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(s); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return text.Bytes(), nil
}
