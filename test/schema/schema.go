// Package schema checks what commands print against the schemas in the documentation.
package schema

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// Check returns what is wrong with the JSON that a command prints, by the schema of that command.
func Check(command, text string) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "reference", command+".schema.json"))
	if err != nil {
		return fmt.Errorf("reading the schema of %s: %w", command, err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("reading what %s prints: %w", command, err)
	}
	return schema.Validate(document)
}
